// Compressed data is unpacked here, without any request.
(() => {
  if (!('DecompressionStream' in window)) return; // the link saves it compressed
  for (const item of document.querySelectorAll('[data-plain]')) {
    const button = document.createElement('button'), name = item.dataset.plain;
    button.type = 'button';
    button.textContent = 'Save ' + name;
    button.addEventListener('click', async () => {
      button.disabled = true;
      try {
        const packed = Uint8Array.from(atob(item.querySelector('a').href.split(',')[1]), c => c.charCodeAt(0));
        const plain = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).blob();
        const link = document.createElement('a');
        link.href = URL.createObjectURL(new Blob([plain], {type: 'application/json'}));
        link.download = name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60000);
      } catch (error) {
        button.insertAdjacentText('afterend', ' could not be unpacked: ' + error);
      }
      button.disabled = false;
    });
    item.append(' ', button);
  }
})();

#include "loop.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// A parcel that waits for its counterpart.
typedef struct parcel {
    struct parcel *next;
    loop_end *owner;
    void *at;
    uint64_t size;
    uint32_t from, to, channel, lane;
    int send;
} parcel;

struct loop_hub {
    pthread_mutex_t lock;
    parcel *first, **last;
};

struct loop_end {
    loop_hub *hub;
    uint32_t rank, channel;
    uint32_t open;  // parcels not through
    int32_t failed; // code of a failure
};

loop_hub *loop_hub_new(void) {
    loop_hub *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    pthread_mutex_init(&h->lock, NULL);
    h->last = &h->first;
    return h;
}

void loop_hub_free(loop_hub *h) {
    if (!h) return;
    for (parcel *p = h->first, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    pthread_mutex_destroy(&h->lock);
    free(h);
}

loop_end *loop_end_new(loop_hub *h, uint32_t rank, uint32_t channel) {
    loop_end *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->hub = h;
    e->rank = rank;
    e->channel = channel;
    return e;
}

// Forgets what an end still waits for.
static void withdraw(loop_end *e) {
    loop_hub *h = e->hub;
    for (parcel **at = &h->first; *at;) {
        parcel *p = *at;
        if (p->owner != e) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        if (!p->next) h->last = at;
        free(p);
    }
    e->open = 0;
}

void loop_end_free(loop_end *e) {
    if (!e) return;
    pthread_mutex_lock(&e->hub->lock);
    withdraw(e);
    pthread_mutex_unlock(&e->hub->lock);
    free(e);
}

void loop_end_stop(loop_end *e) {
    pthread_mutex_lock(&e->hub->lock);
    e->failed = LOOP_STOPPED;
    withdraw(e);
    pthread_mutex_unlock(&e->hub->lock);
}

static void place(loop_end *e, const uint64_t *t) {
    loop_hub *h = e->hub;
    uint32_t peer = (uint32_t)t[1] >> 1, lane = (uint32_t)(t[1] >> 32);
    int send = (int)(t[1] & 1);
    uint32_t from = send ? e->rank : peer, to = send ? peer : e->rank;
    for (parcel **at = &h->first; *at; at = &(*at)->next) {
        parcel *p = *at;
        if (p->channel != e->channel || p->lane != lane || p->from != from || p->to != to || p->send == send) continue;
        if (p->size != t[2]) {
            e->failed = p->owner->failed = LOOP_LENGTH;
            return;
        }
        if (send) memcpy(p->at, (void *)t[0], t[2]);
        else memcpy((void *)t[0], p->at, t[2]);
        p->owner->open--;
        *at = p->next;
        if (!p->next) h->last = at;
        free(p);
        return;
    }
    parcel *p = calloc(1, sizeof *p);
    if (!p) {
        e->failed = LOOP_MEMORY;
        return;
    }
    *p = (parcel){.owner = e, .at = (void *)t[0], .size = t[2], .from = from, .to = to, .channel = e->channel, .lane = lane, .send = send};
    *h->last = p;
    h->last = &p->next;
    e->open++;
}

int32_t loop_start(void *end, const uint64_t *triples, uint32_t n) {
    loop_end *e = end;
    pthread_mutex_lock(&e->hub->lock);
    for (uint32_t i = 0; i < n && !e->failed; i++) place(e, triples + 3 * i);
    int32_t r = e->failed;
    pthread_mutex_unlock(&e->hub->lock);
    return r;
}

int32_t loop_poll(void *end) {
    loop_end *e = end;
    pthread_mutex_lock(&e->hub->lock);
    int32_t r = e->failed ? e->failed : e->open ? LOOP_UNDER_WAY : 0;
    pthread_mutex_unlock(&e->hub->lock);
    return r;
}

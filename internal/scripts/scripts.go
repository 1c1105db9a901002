// Package scripts holds the tests of the shell scripts under scripts/.
package scripts

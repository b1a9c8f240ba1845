import Commands
import Glibc

// Everything is in Commands. Top-level code is main-actor code, so there is no closure here.
exit(Commands.main())

# Connects to the socket of the service manager, and becomes the program that its arguments name, which inherits that
# connection as a file descriptor: it can then write to it as the main process of the unit, though it cannot open
# sockets of that kind. The environment says where the descriptor is, in the way of socket activation
# (sd_listen_fds(3)), under the name "notify". Without a socket, or where it cannot be connected to, it just becomes that
# program. In Perl, because that is on every Debian.
use strict;
use warnings;
use Fcntl;
use POSIX ();
use Socket;

my $FIRST_FD = 3;
my $socket; # Open until the end: exec closes it, unless it is that descriptor.

if (my $path = $ENV{NOTIFY_SOCKET}) {
  $path =~ s/^@/\0/;
  my $problem = connect_to($path);
  warn "$ENV{NOTIFY_SOCKET} cannot be connected to: $problem\n" if $problem;
}
exec { $ARGV[0] } @ARGV or die "$ARGV[0] cannot be run: $!\n";

# Leaves the connection open as that descriptor, and returns what went wrong.
sub connect_to {
  my ($path) = @_;
  socket($socket, AF_UNIX, SOCK_DGRAM, 0) or return $!;
  connect($socket, pack_sockaddr_un($path)) or return $!;
  # A manager that is busy must not hold a writer up.
  fcntl($socket, F_SETFL, O_NONBLOCK) or return $!;
  # A copy is not closed by exec; the socket itself may have that number already.
  defined POSIX::dup2(fileno($socket), $FIRST_FD) or return $!;
  fcntl($socket, F_SETFD, 0) or return $! if fileno($socket) == $FIRST_FD;
  @ENV{qw(LISTEN_PID LISTEN_FDS LISTEN_FDNAMES)} = ($$, 1, 'notify');
  return undef;
}

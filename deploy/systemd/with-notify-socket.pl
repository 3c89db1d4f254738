# Connects to the service manager's socket, then becomes the program in its arguments, which inherits the connection as a
# file descriptor. Node cannot open such a socket itself, but can write to it this way as the main process of the unit.
# The environment describes the descriptor as in socket activation (sd_listen_fds(3)), under the name "notify". Without a
# socket, or if the connection fails, it just becomes that program. In Perl, because every Debian has it.
use strict;
use warnings;
use Fcntl;
use POSIX ();
use Socket;

my $FIRST_FD = 3;
my $socket; # Stays open until exec, which closes it unless it is that descriptor.

if (my $path = $ENV{NOTIFY_SOCKET}) {
  $path =~ s/^@/\0/;
  my $problem = connect_to($path);
  warn "$ENV{NOTIFY_SOCKET} cannot be connected to: $problem\n" if $problem;
}
exec { $ARGV[0] } @ARGV or die "$ARGV[0] cannot be run: $!\n";

# Leaves the connection open as that descriptor. Returns what went wrong, if anything did.
sub connect_to {
  my ($path) = @_;
  socket($socket, AF_UNIX, SOCK_DGRAM, 0) or return $!;
  connect($socket, pack_sockaddr_un($path)) or return $!;
  # A busy manager must not block a writer.
  fcntl($socket, F_SETFL, O_NONBLOCK) or return $!;
  # A copy is not closed by exec; the socket itself may have that number already.
  defined POSIX::dup2(fileno($socket), $FIRST_FD) or return $!;
  fcntl($socket, F_SETFD, 0) or return $! if fileno($socket) == $FIRST_FD;
  @ENV{qw(LISTEN_PID LISTEN_FDS LISTEN_FDNAMES)} = ($$, 1, 'notify');
  return undef;
}

#include "netlab/tun.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace leadline::netlab {
namespace {

Error Failed(const std::string& what, int number = errno) {
  const bool refused = number == EPERM || number == EACCES;
  const auto code = refused            ? ErrorCode::kPermissionDenied
                    : number == ENOENT ? ErrorCode::kNotFound
                                       : ErrorCode::kUnavailable;
  return Error(code, fmt::format("{}: {}{}", what, std::strerror(number),
                                 refused ? " (this needs root)" : ""));
}

// Moves this thread into another network namespace for as long as it lives.
class Visit {
 public:
  Visit() : home_(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)) {}
  ~Visit() {
    if (moved_ && setns(home_.get(), CLONE_NEWNET) != 0) std::abort();
  }
  Visit(const Visit&) = delete;

  Result<void> Enter(const std::string& name) {
    const std::string path = "/var/run/netns/" + name;
    const File target(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (target.get() < 0) return Failed(fmt::format("network namespace {}: {}", name, path));
    if (home_.get() < 0) return Failed("/proc/self/ns/net");
    if (setns(target.get(), CLONE_NEWNET) != 0) return Failed("entering namespace " + name);
    moved_ = true;
    return {};
  }

 private:
  File home_;
  bool moved_ = false;
};

ifreq RequestFor(const std::string& device) {
  ifreq request{};
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

void Put(std::uint32_t address, sockaddr* out) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(address);
  std::memcpy(out, &in, sizeof in);
}

Result<void> Configure(const std::string& device, std::uint32_t address, std::uint32_t mask) {
  const File control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request = RequestFor(device);
  Put(address, &request.ifr_addr);
  if (ioctl(control.get(), SIOCSIFADDR, &request) != 0) return Failed("address of " + device);
  Put(mask, &request.ifr_netmask);
  if (ioctl(control.get(), SIOCSIFNETMASK, &request) != 0) return Failed("netmask of " + device);
  request = RequestFor(device);
  if (ioctl(control.get(), SIOCGIFFLAGS, &request) != 0) return Failed("flags of " + device);
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_RUNNING);
  if (ioctl(control.get(), SIOCSIFFLAGS, &request) != 0) return Failed("setting up " + device);
  return {};
}

}  // namespace

File::~File() {
  if (fd_ >= 0) close(fd_);
}

Result<Subnet> Subnet::Parse(const std::string& text) {
  const auto wrong = Error(ErrorCode::kInvalidArgument,
                           fmt::format("\"{}\": expected an IPv4 network such as 198.18.78.0/24, "
                                       "prefix 8 to 30",
                                       text));
  const auto slash = text.find('/');
  if (slash == std::string::npos) return wrong;
  Subnet subnet;
  in_addr address{};
  if (inet_pton(AF_INET, text.substr(0, slash).c_str(), &address) != 1) return wrong;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + slash + 1, end, subnet.prefix);
  if (error != std::errc() || at != end || subnet.prefix < 8 || subnet.prefix > 30) return wrong;
  subnet.base = ntohl(address.s_addr) & subnet.Mask();
  return subnet;
}

Result<File> OpenTun(const std::string& network_namespace, const std::string& device,
                     const Subnet& subnet, std::size_t index) {
  if (device.empty() || device.size() >= IFNAMSIZ) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("device \"{}\": expected 1 to {} characters", device, IFNAMSIZ - 1));
  }
  Visit visit;
  if (auto entered = visit.Enter(network_namespace); !entered) return entered.error();
  File tun(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (tun.get() < 0) return Failed("/dev/net/tun");
  ifreq request = RequestFor(device);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  const std::string what = fmt::format("device {} in namespace {}", device, network_namespace);
  if (ioctl(tun.get(), TUNSETIFF, &request) != 0) return Failed(what);
  if (auto done = Configure(device, subnet.Address(index), subnet.Mask()); !done) {
    return done.error().WithContext(what);
  }
  return tun;
}

}  // namespace leadline::netlab

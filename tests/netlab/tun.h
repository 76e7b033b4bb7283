// A TUN device inside a network namespace that exists already.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "leadline/base/result.h"

namespace leadline::netlab {

// A file descriptor with an owner.
class File {
 public:
  explicit File(int fd = -1) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File();
  int get() const { return fd_; }

 private:
  int fd_;
};

// "198.18.78.0/24".
struct Subnet {
  std::uint32_t base = 0;  // host byte order
  int prefix = 0;          // 8 to 30

  static Result<Subnet> Parse(const std::string& text);
  std::uint32_t Mask() const { return ~std::uint32_t{0} << (32 - prefix); }
  std::uint32_t Address(std::size_t index) const {
    return base + static_cast<std::uint32_t>(index) + 1;
  }
  // How many addresses there are, without the network's and the broadcast one.
  std::size_t Capacity() const { return (std::size_t{1} << (32 - prefix)) - 2; }
};

// Makes the device in the namespace, gives it the address and sets it up. Reads and writes of the
// descriptor are whole IP packets and never wait. The device goes when the descriptor is closed.
// The error names what is missing: a right, the namespace, /dev/net/tun.
Result<File> OpenTun(const std::string& network_namespace, const std::string& device,
                     const Subnet& subnet, std::size_t index);

}  // namespace leadline::netlab

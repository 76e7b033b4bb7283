#include "own_addresses.h"

#include <ifaddrs.h>
#include <netinet/in.h>

#include <boost/asio/ip/udp.hpp>
#include <cstring>

namespace leadline {
namespace {

namespace ip = boost::asio::ip;

ip::address AddressOf(const sockaddr& address, std::size_t size) {
  ip::udp::endpoint endpoint;
  endpoint.resize(size);
  std::memcpy(endpoint.data(), &address, size);
  return endpoint.address();
}

}  // namespace

std::vector<ip::address> OwnAddresses() {
  std::vector<ip::address> own;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return own;
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr) continue;
    if (at->ifa_addr->sa_family == AF_INET) {
      own.push_back(AddressOf(*at->ifa_addr, sizeof(sockaddr_in)));
    } else if (at->ifa_addr->sa_family == AF_INET6) {
      own.push_back(AddressOf(*at->ifa_addr, sizeof(sockaddr_in6)));
    }
  }
  freeifaddrs(all);
  return own;
}

}  // namespace leadline

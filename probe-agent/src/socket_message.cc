#include "socket_message.h"

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>

#include <cstring>

namespace leadline {
namespace {

namespace ip = boost::asio::ip;

ip::address_v4 AddressOf(const in_addr& address) { return ip::address_v4(ntohl(address.s_addr)); }

ip::address_v6 AddressOf(const in6_pktinfo& info) {
  ip::address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), &info.ipi6_addr, bytes.size());
  ip::address_v6 address(bytes);
  // Only a link-local address needs its link; others may be answered by any way.
  if (address.is_link_local()) address.scope_id(info.ipi6_ifindex);
  return address;
}

template <typename T>
void Attach(msghdr& header, void* control, int level, int type, const T& value) {
  header.msg_control = control;
  header.msg_controllen = CMSG_SPACE(sizeof value);
  cmsghdr* at = CMSG_FIRSTHDR(&header);
  at->cmsg_level = level;
  at->cmsg_type = type;
  at->cmsg_len = CMSG_LEN(sizeof value);
  std::memcpy(CMSG_DATA(at), &value, sizeof value);
}

void AttachSource(msghdr& header, void* control, const ip::address& from) {
  if (from.is_v4()) {
    in_pktinfo info{};
    info.ipi_spec_dst.s_addr = htonl(from.to_v4().to_uint());
    return Attach(header, control, IPPROTO_IP, IP_PKTINFO, info);
  }
  in6_pktinfo info{};
  const auto bytes = from.to_v6().to_bytes();
  std::memcpy(&info.ipi6_addr, bytes.data(), bytes.size());
  info.ipi6_ifindex = static_cast<unsigned>(from.to_v6().scope_id());
  Attach(header, control, IPPROTO_IPV6, IPV6_PKTINFO, info);
}

}  // namespace

SocketMessage::SocketMessage() {
  part_ = {bytes_.data(), bytes_.size()};
  header_.msg_name = &from_;
  header_.msg_iov = &part_;
  header_.msg_iovlen = 1;
}

bool SocketMessage::Receive(int socket, int flags) {
  header_.msg_namelen = sizeof from_;
  header_.msg_control = control_.data();
  header_.msg_controllen = control_.size();
  const ssize_t size = recvmsg(socket, &header_, flags | MSG_DONTWAIT);
  size_ = size < 0 ? 0 : static_cast<std::size_t>(size);
  return size >= 0;
}

template <typename T>
std::optional<T> SocketMessage::Find(int level, int type) {
  for (cmsghdr* at = CMSG_FIRSTHDR(&header_); at != nullptr; at = CMSG_NXTHDR(&header_, at)) {
    if (at->cmsg_level != level || at->cmsg_type != type) continue;
    T value{};
    std::memcpy(&value, CMSG_DATA(at), sizeof value);
    return value;
  }
  return std::nullopt;
}

ip::udp::endpoint SocketMessage::From() const {
  ip::udp::endpoint from;
  from.resize(header_.msg_namelen);
  std::memcpy(from.data(), &from_, header_.msg_namelen);
  return from;
}

std::optional<ip::address> SocketMessage::To() {
  if (const auto v4 = Find<in_pktinfo>(IPPROTO_IP, IP_PKTINFO)) return AddressOf(v4->ipi_addr);
  if (const auto v6 = Find<in6_pktinfo>(IPPROTO_IPV6, IPV6_PKTINFO)) return AddressOf(*v6);
  return std::nullopt;
}

std::optional<RealtimeStamp> SocketMessage::Stamp() {
  const auto stamps = Find<scm_timestamping>(SOL_SOCKET, SCM_TIMESTAMPING);
  if (!stamps || (stamps->ts[0].tv_sec == 0 && stamps->ts[0].tv_nsec == 0)) return std::nullopt;
  return std::chrono::seconds(stamps->ts[0].tv_sec) +
         std::chrono::nanoseconds(stamps->ts[0].tv_nsec);
}

std::optional<std::uint32_t> SocketMessage::NumberOfSend() {
  auto report = Find<sock_extended_err>(SOL_IP, IP_RECVERR);
  if (!report) report = Find<sock_extended_err>(SOL_IPV6, IPV6_RECVERR);
  if (!report || report->ee_origin != SO_EE_ORIGIN_TIMESTAMPING) return std::nullopt;
  return report->ee_data;
}

bool SendMessage(int socket, std::span<const std::uint8_t> bytes, const ip::udp::endpoint& to,
                 const std::optional<ip::address>& from) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(in6_pktinfo))> control{};
  iovec part{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
  msghdr header{};
  header.msg_name = const_cast<void*>(static_cast<const void*>(to.data()));
  header.msg_namelen = static_cast<socklen_t>(to.size());
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (from) AttachSource(header, control.data(), *from);
  return sendmsg(socket, &header, MSG_DONTWAIT) >= 0;
}

}  // namespace leadline

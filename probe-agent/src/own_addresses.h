// Which addresses are this machine's own, so that an agent does not measure the way to itself.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <vector>

namespace leadline {

// As the interfaces have them now.
std::vector<boost::asio::ip::address> OwnAddresses();

}  // namespace leadline

// Pieces of what a server sent, fit for a log line; private to the module.
#pragma once

#include <string>
#include <string_view>

namespace leadline {

// At most `limit` bytes, control characters as blanks, "..." where cut.
std::string Excerpt(std::string_view text, std::size_t limit = 160);

}  // namespace leadline

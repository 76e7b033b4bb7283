#include "excerpt.h"

#include "leadline/exporter/exposition.h"

namespace leadline {

std::string Excerpt(std::string_view text, std::size_t limit) {
  std::string out(text.substr(0, limit));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  if (text.size() > limit) out += "...";
  return ToValidUtf8(out);
}

}  // namespace leadline

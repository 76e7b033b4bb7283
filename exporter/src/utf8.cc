// ToValidUtf8: RFC 3629, with U+FFFD for each byte that belongs to no valid sequence.
#include <cstdint>

#include "leadline/exporter/exposition.h"

namespace leadline {
namespace {

struct Form {
  unsigned char mask;       // bits that tell the form in the first byte
  unsigned char lead;       // what they must be
  int length;               // bytes in all
  std::uint32_t min_value;  // smaller ones are overlong
};
constexpr Form kForms[] = {
    {0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};

bool IsSurrogate(std::uint32_t value) { return value >= 0xD800 && value <= 0xDFFF; }

// Bytes of the valid sequence at the front of `text`, 0 if there is none.
std::size_t SequenceLength(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  for (const Form& form : kForms) {
    if ((first & form.mask) != form.lead) continue;
    if (text.size() < static_cast<std::size_t>(form.length)) return 0;
    std::uint32_t value = first & static_cast<unsigned char>(~form.mask);
    for (int i = 1; i < form.length; ++i) {
      const auto next = static_cast<unsigned char>(text[i]);
      if ((next & 0xC0) != 0x80) return 0;
      value = value << 6 | (next & 0x3F);
    }
    const bool valid = value >= form.min_value && value <= 0x10FFFF && !IsSurrogate(value);
    return valid ? form.length : 0;
  }
  return 0;
}

}  // namespace

std::string ToValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace leadline

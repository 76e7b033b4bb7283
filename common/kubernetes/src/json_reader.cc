#include "json_reader.h"

#include <algorithm>
#include <limits>

#include "rfc3339.h"

namespace leadline {
namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

simdjson::ondemand::document JsonText::Open(std::string_view json) {
  thread_local simdjson::ondemand::parser parser;
  thread_local std::string padded;
  // simdjson reads past the end; a copy into a kept buffer costs less than it seems.
  padded.assign(json);
  padded.append(simdjson::SIMDJSON_PADDING, '\0');
  return parser.iterate(padded.data(), json.size(), padded.size());
}

std::string_view JsonReader::View(Value value) {
  if (IsNull(value)) return {};
  return Expect(value.get_string(), "a string");
}

bool JsonReader::Boolean(Value value) {
  return !IsNull(value) && Expect(value.get_bool(), "true or false");
}

std::int64_t JsonReader::Integer64(Value value) {
  if (IsNull(value)) return 0;
  return Expect(value.get_int64(), "a whole number");
}

int JsonReader::Integer(Value value) {
  const std::int64_t number = Integer64(value);
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    Fail("expected a 32-bit whole number");
  }
  return static_cast<int>(number);
}

Quantity JsonReader::Amount(Value value) {
  if (IsNull(value)) return {};
  const bool text = value.type() == simdjson::ondemand::json_type::string;
  const auto quantity = Quantity::Parse(Trim(text ? View(value) : value.raw_json_token()));
  if (!quantity) Fail(quantity.error().message());
  return *quantity;
}

SystemTime JsonReader::Time(Value value) {
  if (IsNull(value)) return {};
  const std::string_view text = View(value);
  const auto time = ParseRfc3339(text);
  if (!time) Fail("expected a time such as 2026-12-01T10:00:00Z");
  return *time;
}

StringMap JsonReader::Map(Value value) {
  StringMap map;
  Members(value, [&](std::string_view key, Value item) {
    map.insert_or_assign(std::string(key), Text(item));
  });
  return map;
}

std::vector<std::string> JsonReader::Texts(Value value) {
  std::vector<std::string> texts;
  Items(value, [&](Value item) { texts.push_back(Text(item)); });
  return texts;
}

ResourceList JsonReader::Resources(Value value) {
  ResourceList list;
  Members(value, [&](std::string_view key, Value item) {
    list.emplace_back(std::string(key), Amount(item));
  });
  // A name given twice: the last one counts, as in Go.
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto kept = std::unique(list.rbegin(), list.rend(),
                                [](const auto& a, const auto& b) { return a.first == b.first; });
  list.erase(list.begin(), kept.base());
  return list;
}

void JsonReader::Fail(std::string what) {
  failure_ = std::move(what);
  throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
}

std::string JsonReader::Path() const {
  std::string path;
  for (const Step& step : path_) {
    if (step.key.data() == nullptr) {
      path += '[' + std::to_string(step.index) + ']';
    } else {
      if (!path.empty()) path += '.';
      path += step.key;
    }
  }
  return path;
}

}  // namespace leadline

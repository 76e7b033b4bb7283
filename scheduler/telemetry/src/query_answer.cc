#include "leadline/telemetry/query_answer.h"

#include <simdjson.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "excerpt.h"

namespace leadline {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kServerWords = 300;

std::optional<std::string_view> TextAt(const dom::object& object, std::string_view key) {
  std::string_view text;
  if (object[key].get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

// Prometheus writes values as text, so that NaN and infinities get through JSON.
std::optional<double> ReadValue(const dom::element& element) {
  double number = 0;
  if (element.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS) return std::nullopt;
  if (text == "+Inf" || text == "Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// [unix time, "value"]
bool ReadPoint(const dom::element& element, Sample& sample) {
  dom::array pair;
  if (element.get(pair) != simdjson::SUCCESS || pair.size() != 2) return false;
  if (pair.at(0).get(sample.time) != simdjson::SUCCESS) return false;
  const auto value = ReadValue(pair.at(1).value_unsafe());
  sample.value = value.value_or(0);
  return value.has_value();
}

Result<void> ReadSeries(const dom::element& element, QueryAnswer& answer) {
  const Error malformed(ErrorCode::kDataLoss, "malformed series in the answer");
  dom::object series;
  if (element.get(series) != simdjson::SUCCESS) return malformed;
  Sample sample;
  dom::object labels;
  if (series["metric"].get(labels) == simdjson::SUCCESS) {
    for (const auto [name, label] : labels) {
      std::string_view text;
      if (label.get(text) != simdjson::SUCCESS) return malformed;
      if (name != "__name__") sample.labels.emplace_back(name, text);
    }
  }
  std::sort(sample.labels.begin(), sample.labels.end());
  dom::element point;
  if (series["value"].get(point) != simdjson::SUCCESS) {
    return Error(ErrorCode::kInvalidArgument,
                 "the query gives native histograms, expected one number a series");
  }
  if (!ReadPoint(point, sample)) return malformed;
  answer.samples.push_back(std::move(sample));
  return {};
}

Result<void> ReadData(const dom::object& data, QueryAnswer& answer) {
  const std::string type(TextAt(data, "resultType").value_or(""));
  dom::element result;
  if (data["result"].get(result) != simdjson::SUCCESS) {
    return Error(ErrorCode::kDataLoss, "the answer has no result");
  }
  if (type == "scalar") {
    Sample sample;
    if (!ReadPoint(result, sample)) return Error(ErrorCode::kDataLoss, "malformed scalar");
    answer.samples.push_back(std::move(sample));
    return {};
  }
  dom::array list;
  if (type != "vector" || result.get(list) != simdjson::SUCCESS) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("the query gives a {}, expected an instant vector", Excerpt(type)));
  }
  answer.samples.reserve(list.size());
  for (const dom::element element : list) {
    if (auto ok = ReadSeries(element, answer); !ok) return ok.error();
  }
  return {};
}

void ReadNotes(const dom::object& root, std::string_view key, std::vector<std::string>& notes) {
  dom::array list;
  if (root[key].get(list) != simdjson::SUCCESS) return;
  for (const dom::element element : list) {
    std::string_view text;
    if (element.get(text) == simdjson::SUCCESS) notes.push_back(Excerpt(text, kServerWords));
  }
}

bool LooksLikeHtml(std::string_view body) {
  const std::size_t start = body.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return start != std::string_view::npos && body[start] == '<';
}

// Prometheus's own words in an error answer, or the beginning of whatever it is.
std::string ServerWords(std::string_view body) {
  if (LooksLikeHtml(body)) return "not JSON, looks like a login page";
  dom::parser parser;
  dom::object root;
  if (parser.parse(body.data(), body.size()).get(root) == simdjson::SUCCESS) {
    if (const auto text = TextAt(root, "error")) {
      const std::string_view type = TextAt(root, "errorType").value_or("error");
      return fmt::format("{}: {}", Excerpt(type), Excerpt(*text, kServerWords));
    }
  }
  return body.empty() ? "empty answer" : Excerpt(body);
}

Error StatusError(const HttpResponse& response) {
  const int status = response.status;
  if (status >= 300 && status < 400) {
    return Error(ErrorCode::kPermissionDenied,
                 fmt::format("HTTP {}: redirects to {}, not followed: a token must not travel to "
                             "another host; set the url to where Prometheus is",
                             status, Excerpt(response.Header("location"))));
  }
  ErrorCode code = ErrorCode::kUnavailable;
  if (status == 400 || status == 422) code = ErrorCode::kInvalidArgument;
  if (status == 401 || status == 403) code = ErrorCode::kPermissionDenied;
  if (status == 404) code = ErrorCode::kNotFound;
  if (status == 429) code = ErrorCode::kResourceExhausted;
  const char* hint = status == 404 ? " (is the path prefix in the url right?)" : "";
  return Error(code, fmt::format("HTTP {}: {}{}", status, ServerWords(response.body), hint));
}

}  // namespace

std::string_view Sample::Label(std::string_view name) const {
  for (const auto& [key, text] : labels) {
    if (key == name) return text;
  }
  return {};
}

std::string Sample::LabelText() const {
  std::string text;
  for (const auto& [key, label] : labels) {
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", key, label);
  }
  return Excerpt("{" + text + "}", kServerWords);
}

Result<QueryAnswer> ParseQueryAnswer(std::string_view body) {
  if (LooksLikeHtml(body)) {
    return Error(ErrorCode::kPermissionDenied,
                 "not JSON, looks like a login page: " + Excerpt(body, 80));
  }
  dom::parser parser;
  dom::object root;
  const auto error = parser.parse(body.data(), body.size()).get(root);
  if (error != simdjson::SUCCESS) {
    return Error(ErrorCode::kDataLoss,
                 fmt::format("not JSON, or cut short after {} bytes ({}): {}", body.size(),
                             simdjson::error_message(error), Excerpt(body, 80)));
  }
  if (TextAt(root, "status") != std::string_view("success")) {
    return Error(ErrorCode::kInvalidArgument, ServerWords(body));
  }
  QueryAnswer answer;
  ReadNotes(root, "warnings", answer.warnings);
  ReadNotes(root, "infos", answer.infos);
  dom::object data;
  if (root["data"].get(data) != simdjson::SUCCESS) {
    return Error(ErrorCode::kDataLoss, "the answer has no data: " + Excerpt(body, 80));
  }
  if (auto ok = ReadData(data, answer); !ok) return ok.error();
  return answer;
}

Result<QueryAnswer> ReadQueryResponse(const HttpResponse& response) {
  if (response.status == 200) return ParseQueryAnswer(response.body);
  return StatusError(response);
}

}  // namespace leadline

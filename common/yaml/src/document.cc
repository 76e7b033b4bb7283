#include "leadline/yaml/document.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "value.h"

namespace leadline {

void YamlDocumentData::AddMistake(int line, std::string_view path, std::string_view text) {
  std::string message = path.empty() ? fmt::format("{}:{}: {}", file, line, text)
                                     : fmt::format("{}:{}: {}: {}", file, line, path, text);
  mistakes.emplace_back(line, std::move(message));
}

YamlDocument::YamlDocument(std::unique_ptr<YamlDocumentData> data) : data_(std::move(data)) {}
YamlDocument::~YamlDocument() = default;
YamlDocument::YamlDocument(YamlDocument&&) noexcept = default;
YamlDocument& YamlDocument::operator=(YamlDocument&&) noexcept = default;

Result<YamlDocument> YamlDocument::Load(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    return Error(ErrorCode::kInvalidArgument, file + ": is a directory, expected a file");
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    const ErrorCode code = errno == EACCES ? ErrorCode::kPermissionDenied : ErrorCode::kNotFound;
    return Error(code, fmt::format("{}: {}", file, std::strerror(errno)));
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return Parse(text.str(), file);
}

Result<YamlDocument> YamlDocument::Parse(std::string_view text, std::string file) {
  auto data = std::make_unique<YamlDocumentData>(std::move(file));
  if (auto built = data->Build(text); !built) return built.error();
  return YamlDocument(std::move(data));
}

YamlNode YamlDocument::root() const {
  const YamlNode::Value* value = data_->root.get();
  const bool null = value->kind == YamlNode::Value::Kind::kNull;
  return YamlNode(data_.get(), null ? nullptr : value, "", std::max(1, value->line));
}

const std::string& YamlDocument::file() const { return data_->file; }

std::string YamlDocument::ResolvePath(std::string_view path) const {
  const std::filesystem::path given(path);
  if (given.is_absolute()) return given.string();
  return (std::filesystem::path(data_->file).parent_path() / given).lexically_normal().string();
}

Result<void> YamlDocument::Check() const {
  if (data_->mistakes.empty()) return {};
  auto sorted = data_->mistakes;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [line, message] : sorted) {
    if (!text.empty()) text += '\n';
    text += message;
  }
  return Error(ErrorCode::kInvalidArgument, std::move(text));
}

}  // namespace leadline

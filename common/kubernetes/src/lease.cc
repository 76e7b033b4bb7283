#include "leadline/kubernetes/lease.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace leadline {
namespace {

namespace json = boost::json;

std::string Text(const json::object& spec, std::string_view key) {
  const json::value* value = spec.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  const json::string& text = value->get_string();
  return {text.data(), text.size()};
}

std::int64_t Number(const json::object& spec, std::string_view key) {
  const json::value* value = spec.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

// A time that nobody wrote is null: the API server refuses an empty one.
json::value Time(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(json::string(text));
}

}  // namespace

struct Lease::Data {
  json::object object;
};

Lease::Lease(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Lease::~Lease() = default;
Lease::Lease(Lease&&) noexcept = default;
Lease& Lease::operator=(Lease&&) noexcept = default;

Lease::Lease(std::string_view namespace_name, std::string_view name)
    : data_(std::make_unique<Data>()) {
  data_->object = {{"apiVersion", "coordination.k8s.io/v1"},
                   {"kind", "Lease"},
                   {"metadata", json::object{{"namespace", json::string(namespace_name)},
                                             {"name", json::string(name)}}}};
}

Result<Lease> Lease::Parse(std::string_view text) {
  boost::system::error_code code;
  json::value value = json::parse(text, code);
  if (code || !value.is_object()) {
    return Error(ErrorCode::kDataLoss, "a Lease that is no JSON object");
  }
  auto data = std::make_unique<Data>();
  data->object = std::move(value.get_object());
  return Lease(std::move(data));
}

LeaseRecord Lease::record() const {
  const json::value* value = data_->object.if_contains("spec");
  if (value == nullptr || !value->is_object()) return {};
  const json::object& spec = value->get_object();
  return {Text(spec, "holderIdentity"), Number(spec, "leaseDurationSeconds"),
          Text(spec, "acquireTime"), Text(spec, "renewTime"), Number(spec, "leaseTransitions")};
}

void Lease::set_record(const LeaseRecord& record) {
  json::value& value = data_->object["spec"];
  if (!value.is_object()) value = json::object();
  json::object& spec = value.get_object();
  spec["holderIdentity"] = record.holder;
  spec["leaseDurationSeconds"] = record.duration_seconds;
  spec["acquireTime"] = Time(record.acquire_time);
  spec["renewTime"] = Time(record.renew_time);
  spec["leaseTransitions"] = record.transitions;
}

std::string Lease::Json() const { return json::serialize(data_->object); }

}  // namespace leadline

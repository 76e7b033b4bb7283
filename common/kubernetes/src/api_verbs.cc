// The requests that have a name, made of Send().
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "leadline/kubernetes/api_client.h"

namespace leadline {
namespace {

namespace json = boost::json;

std::string ContentType(PatchType type) {
  switch (type) {
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchType::kJson:
      return "application/json-patch+json";
  }
  return "application/json";
}

json::string_view View(std::string_view text) { return {text.data(), text.size()}; }

ApiRequest Make(std::string method, std::string path, std::string body = {}) {
  ApiRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.body = std::move(body);
  return request;
}

}  // namespace

ApiClient::RequestId ApiClient::Get(std::string path, Handler handler) {
  return Send(Make("GET", std::move(path)), std::move(handler));
}

ApiClient::RequestId ApiClient::Create(std::string path, std::string body, Handler handler) {
  return Send(Make("POST", std::move(path), std::move(body)), std::move(handler));
}

ApiClient::RequestId ApiClient::Patch(std::string path, PatchType type, std::string body,
                                      Handler handler) {
  ApiRequest request = Make("PATCH", std::move(path), std::move(body));
  request.content_type = ContentType(type);
  // A JSON patch may append to a list; the others say what shall be.
  request.idempotent = type != PatchType::kJson;
  return Send(std::move(request), std::move(handler));
}

ApiClient::RequestId ApiClient::Delete(std::string path, std::string_view uid, Handler handler) {
  std::string body;
  if (!uid.empty()) {
    body = json::serialize(json::object{
        {"kind", "DeleteOptions"},
        {"apiVersion", "v1"},
        {"preconditions", json::object{{"uid", View(uid)}}},
    });
  }
  ApiRequest request = Make("DELETE", std::move(path), std::move(body));
  request.idempotent = !uid.empty();  // a name may be somebody else's the second time
  return Send(std::move(request), std::move(handler));
}

ApiClient::RequestId ApiClient::Bind(std::string_view namespace_name, std::string_view name,
                                     std::string_view uid, std::string_view node, Handler handler) {
  std::string body = json::serialize(json::object{
      {"apiVersion", "v1"},
      {"kind", "Binding"},
      {"metadata",
       json::object{{"namespace", View(namespace_name)}, {"name", View(name)}, {"uid", View(uid)}}},
      {"target", json::object{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", View(node)}}},
  });
  return Create(ApiPath("/api/v1", namespace_name, "pods", name, "binding"), std::move(body),
                std::move(handler));
}

}  // namespace leadline

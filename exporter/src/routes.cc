#include "leadline/exporter/routes.h"

#include "leadline/exporter/exposition.h"
#include "leadline/http/server.h"

namespace leadline {

void RegisterMetricsRoutes(HttpServer& server, const Registry& registry, std::string path) {
  server.Handle("GET", std::move(path),
                [&registry](const ServerRequest&, const HttpServer::Responder& respond) {
                  ServerResponse response;
                  response.content_type = kExpositionContentType;
                  response.body = registry.Expose();
                  respond(std::move(response));
                });
}

}  // namespace leadline

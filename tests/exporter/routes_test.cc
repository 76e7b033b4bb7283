#include "leadline/exporter/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <thread>

#include "leadline/exporter/exposition.h"
#include "leadline/http/server.h"

namespace leadline {
namespace {

using boost::asio::ip::tcp;
using testing::HasSubstr;

class RoutesTest : public testing::Test {
 protected:
  RoutesTest() : server_(io_, HttpServerOptions()) {}
  ~RoutesTest() override {
    server_.Stop();
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void Start() {
    health_.Register(server_);
    RegisterMetricsRoutes(server_, registry_);
    ASSERT_TRUE(server_.Listen().has_value());
    thread_ = std::thread([this] { io_.run(); });
  }

  // The whole answer, head and body, by a client of the test's own.
  std::string Get(const std::string& target) const {
    boost::asio::io_context io;
    tcp::socket socket(io);
    socket.connect({boost::asio::ip::address_v4::loopback(), server_.port()});
    const std::string request =
        "GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    boost::asio::write(socket, boost::asio::buffer(request));
    std::string answer;
    boost::system::error_code ignored;
    boost::asio::read(socket, boost::asio::dynamic_buffer(answer), ignored);
    return answer;
  }

  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  Registry registry_;
  HealthRoutes health_;
  HttpServer server_;
  std::thread thread_;
};

TEST_F(RoutesTest, MetricsPage) {
  registry_.DeclarePlainCounter("leadline_a_total", "A.").Increment();
  Start();
  const std::string answer = Get("/metrics");
  EXPECT_THAT(answer, HasSubstr(" 200 "));
  EXPECT_THAT(answer, HasSubstr(std::string(kExpositionContentType)));
  EXPECT_THAT(answer, HasSubstr("\nleadline_a_total 1\n"));
}

TEST_F(RoutesTest, HealthyPages) {
  health_.AddReadyCheck("informers", [] { return Result<void>(); });
  Start();
  EXPECT_THAT(Get("/readyz"), testing::EndsWith("\r\n\r\nok"));
  EXPECT_THAT(Get("/readyz?verbose"),
              HasSubstr("[+]ping ok\n[+]informers ok\nreadyz check passed\n"));
  EXPECT_THAT(Get("/healthz?verbose"), HasSubstr("[+]informers ok\nhealthz check passed\n"));
  EXPECT_THAT(Get("/livez?verbose"), HasSubstr("[+]ping ok\nlivez check passed\n"));
  EXPECT_THAT(Get("/livez/ping"), HasSubstr(" 200 "));
  EXPECT_THAT(Get("/livez/informers"), HasSubstr(" 404 "));
}

TEST_F(RoutesTest, AFailedCheckSaysWhy) {
  health_.AddReadyCheck("informers", []() -> Result<void> {
    return Error(ErrorCode::kUnavailable, "nodes not listed yet");
  });
  Start();
  EXPECT_THAT(Get("/livez"), HasSubstr(" 200 "));
  const std::string answer = Get("/readyz");
  EXPECT_THAT(answer, HasSubstr(" 500 "));
  EXPECT_THAT(answer, HasSubstr("[+]ping ok\n[-]informers failed: nodes not listed yet\n"
                                "readyz check failed\n"));
  EXPECT_THAT(Get("/readyz?exclude=informers"), HasSubstr(" 200 "));
  EXPECT_THAT(
      Get("/readyz?verbose&exclude=informers&exclude=nobody"),
      HasSubstr("[+]informers excluded: ok\n"
                "warn: some health checks cannot be excluded: no matches for \"nobody\"\n"));
}

}  // namespace
}  // namespace leadline

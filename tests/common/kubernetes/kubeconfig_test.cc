#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "common/kubernetes/temporary_directory.h"
#include "leadline/kubernetes/client_config.h"

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class KubeconfigTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    return temporary_.Write(name, text);
  }
  Result<ClientConfig> Load(const std::string& cluster, const std::string& user) {
    return LoadKubeconfig(Write("config",
                                "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
                                "contexts:\n- name: here\n  context: {cluster: c, user: u}\n"
                                "clusters:\n- name: c\n  cluster: {" +
                                    cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n"));
  }
  std::string Mistake(const std::string& cluster, const std::string& user) {
    const auto config = Load(cluster, user);
    EXPECT_FALSE(config);
    return config ? "" : config.error().message();
  }

  TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path();
};

TEST_F(KubeconfigTest, ReadsWhatKubectlWrites) {
  Write("ca.pem", "CA");
  Write("key.pem", "KEY");
  const std::string file = Write("config", R"(apiVersion: v1
kind: Config
preferences: {}
current-context: first
contexts:
- context: {cluster: one, user: someone}
  name: first
- context:
    cluster: two
    user: somebody
    namespace: mine
  name: second
clusters:
- cluster:
    certificate-authority: ca.pem
    server: https://one.test:6443/prefix/
    tls-server-name: api.test
  name: one
- cluster:
    certificate-authority-data: Q0EgZGF0YQ==
    server: https://[::1]:6443
  name: two
users:
- name: someone
  user:
    client-certificate-data: Q0VSVA==
    client-key: key.pem
- name: somebody
  user: {tokenFile: secrets/token}
)");
  const auto first = LoadKubeconfig(file);
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(first->server, "https://one.test:6443/prefix");
  EXPECT_EQ(first->tls.ca_pem, "CA");
  EXPECT_EQ(first->tls.client_cert_pem, "CERT");
  EXPECT_EQ(first->tls.client_key_pem, "KEY");
  EXPECT_EQ(first->tls.server_name, "api.test");
  EXPECT_FALSE(first->tls.insecure_skip_verify);
  EXPECT_EQ(first->namespace_name, "default");
  const auto second = LoadKubeconfig(file, "second");
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_EQ(second->server, "https://[::1]:6443");
  EXPECT_EQ(second->tls.ca_pem, "CA data");
  EXPECT_EQ(second->namespace_name, "mine");
  EXPECT_EQ(second->token_file, directory_ + "/secrets/token");
  const auto third = LoadKubeconfig(file, "third");
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().message(), HasSubstr("no entry named \"third\""));
}

TEST_F(KubeconfigTest, ReadsAPlugin) {
  const auto config =
      Load("server: 'https://x', insecure-skip-tls-verify: true",
           "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/get, args: [a, b],"
           " env: [{name: K, value: V}], installHint: try this, provideClusterInfo: true,"
           " interactiveMode: Never}");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_TRUE(config->tls.insecure_skip_verify);
  ASSERT_TRUE(config->exec);
  EXPECT_EQ(std::filesystem::path(config->exec->command).lexically_normal(),
            directory_ + "/bin/get");
  EXPECT_THAT(config->exec->arguments, ElementsAre("a", "b"));
  EXPECT_THAT(config->exec->environment, ElementsAre(Pair("K", "V")));
  EXPECT_TRUE(config->exec->provide_cluster_info);
  const auto in_path = Load("server: 'https://x'",
                            "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: g}");
  ASSERT_TRUE(in_path);
  EXPECT_EQ(in_path->exec->command, "g");
}

TEST_F(KubeconfigTest, NamesFileAndKeyOfEachMistake) {
  EXPECT_THAT(Mistake("", "token: t"), HasSubstr("server"));
  EXPECT_THAT(Mistake("server: 'prometheus:9090'", ""), HasSubstr("https://"));
  EXPECT_THAT(Mistake("server: 'https://x', certificate-authority-data: '%%'", ""),
              HasSubstr("certificate-authority-data"));
  EXPECT_THAT(Mistake("server: 'https://x', certificate-authority: none.pem", ""),
              HasSubstr("none.pem: No such file"));
  EXPECT_THAT(Mistake("server: 'https://x', proxy-url: 'http://p'", ""), HasSubstr("proxy-url"));
  EXPECT_THAT(Mistake("server: 'https://x', insecure-skip-tls-verify: 'yes'", ""),
              HasSubstr("insecure-skip-tls-verify"));
  EXPECT_THAT(Mistake("server: 'https://x'", "client-certificate-data: Q0VSVA=="),
              HasSubstr("client-key"));
  EXPECT_THAT(Mistake("server: 'https://x'", "username: u, password: secret"),
              ::testing::AllOf(HasSubstr("username"), Not(HasSubstr("secret"))));
  EXPECT_THAT(Mistake("server: 'https://x'", "as: admin"), HasSubstr("as"));
  EXPECT_THAT(Mistake("server: 'https://x'", "exec: {apiVersion: v1, command: g}"),
              HasSubstr("client.authentication.k8s.io/v1"));
  EXPECT_THAT(Mistake("", ""), HasSubstr(directory_ + "/config"));
  const auto missing = LoadKubeconfig(directory_ + "/none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
}

TEST_F(KubeconfigTest, ReadsWhatAPodIsGiven) {
  Write("ca.crt", "CA");
  EXPECT_THAT(InClusterConfig(directory_, "10.0.0.1", "443").error().message(),
              HasSubstr("token: No such file"));
  Write("token", "T\n");
  Write("namespace", "mine\n");
  const auto config = InClusterConfig(directory_, "10.0.0.1", "443");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->server, "https://10.0.0.1:443");
  EXPECT_EQ(config->namespace_name, "mine");
  EXPECT_EQ(config->tls.ca_pem, "CA");
  EXPECT_EQ(InClusterConfig(directory_, "fd00::1", "443")->server, "https://[fd00::1]:443");
  const auto outside = InClusterConfig(directory_, "", "");
  EXPECT_THAT(outside.error().message(), HasSubstr("KUBERNETES_SERVICE_HOST"));
}

TEST_F(KubeconfigTest, DefaultFile) {
  EXPECT_EQ(DefaultKubeconfig("x"), "x");
  ::setenv("KUBECONFIG", "/a:/b", 1);
  EXPECT_EQ(DefaultKubeconfig(), "/a");
  ::unsetenv("KUBECONFIG");
  const char* const home = std::getenv("HOME");
  EXPECT_EQ(DefaultKubeconfig(), std::string(home == nullptr ? "" : home) + "/.kube/config");
}

}  // namespace
}  // namespace leadline

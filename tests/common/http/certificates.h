// A certificate authority of a test's own.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace leadline {

struct PemPair {
  std::string certificate;
  std::string key;
};

class TestAuthority {
 public:
  TestAuthority() : key_(EVP_EC_gen("P-256"), &EVP_PKEY_free), self_(nullptr, &X509_free) {
    self_ = Make("Leadline test authority", key_.get(), nullptr);
    Extend(self_.get(), NID_basic_constraints, "critical,CA:TRUE");
    Sign(self_.get());
  }

  std::string pem() const { return CertificatePem(self_.get()); }

  // `names` as OpenSSL writes subjectAltName: "DNS:a.test,IP:127.0.0.1"; empty: none.
  PemPair Issue(const std::string& common_name, const std::string& names) const {
    const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    const Certificate certificate = Make(common_name, key.get(), self_.get());
    if (!names.empty()) Extend(certificate.get(), NID_subject_alt_name, names.c_str());
    Sign(certificate.get());
    return {CertificatePem(certificate.get()), KeyPem(key.get())};
  }

 private:
  using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
  using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
  using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

  static Certificate Make(const std::string& common_name, EVP_PKEY* key, X509* issuer) {
    static long serial = 1;
    Certificate certificate(X509_new(), &X509_free);
    X509* const x = certificate.get();
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), serial++);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 86400);
    X509_set_pubkey(x, key);
    X509_NAME* const name = X509_get_subject_name(x);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                               0);
    X509_set_issuer_name(x, issuer == nullptr ? name : X509_get_subject_name(issuer));
    return certificate;
  }
  static void Extend(X509* certificate, int id, const char* value) {
    X509V3_CTX context{};
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, id, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
  void Sign(X509* certificate) const { X509_sign(certificate, key_.get(), EVP_sha256()); }

  static std::string Text(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return std::string(data, static_cast<std::size_t>(size));
  }
  static std::string CertificatePem(X509* certificate) {
    const Bio bio(BIO_new(BIO_s_mem()), &BIO_free);
    PEM_write_bio_X509(bio.get(), certificate);
    return Text(bio.get());
  }
  static std::string KeyPem(EVP_PKEY* key) {
    const Bio bio(BIO_new(BIO_s_mem()), &BIO_free);
    PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
    return Text(bio.get());
  }

  Key key_;
  Certificate self_;
};

}  // namespace leadline

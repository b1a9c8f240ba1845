// What Swift cannot see of OpenSSL 3: macros, typed stacks, and functions that are macros in disguise.
// Each function is typed for one kind of argument, so that a wrong one does not compile.
#ifndef PURSER_COPENSSL_SHIM_H
#define PURSER_COPENSSL_SHIM_H

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/objects.h>
#include <openssl/ocsp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// OPENSSL_free is a macro that adds file and line.
static inline void purser_free(void *memory) { OPENSSL_free(memory); }

// BIO_get_mem_data is a macro over BIO_ctrl.
static inline long purser_bio_contents(BIO *bio, char **start) {
    return BIO_get_mem_data(bio, start);
}

// An encoder that writes a private key as PKCS#8 DER. It keeps pointers to both names for as long as it
// lives, so they are literals here: what Swift passes for a String is freed when the call returns.
static inline OSSL_ENCODER_CTX *purser_pkcs8_encoder(const EVP_PKEY *key) {
    return OSSL_ENCODER_CTX_new_for_pkey(
        key, OSSL_KEYMGMT_SELECT_ALL, "DER", "PrivateKeyInfo", NULL);
}

// Contexts that keep a pointer to their key type's name as well.
static inline EVP_PKEY_CTX *purser_rsa_context(void) {
    return EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
}
static inline EVP_PKEY_CTX *purser_ec_context(void) {
    return EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
}
static inline EVP_PKEY_CTX *purser_hkdf_context(void) {
    return EVP_PKEY_CTX_new_from_name(NULL, "HKDF", NULL);
}

// A certificate's time as seconds since 1970 (UTC); 0 when it is none. timegm(3) is glibc's.
static inline int purser_time_seconds(const ASN1_TIME *time, int64_t *seconds) {
    struct tm parts;
    if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1)
        return 0;
    *seconds = timegm(&parts);
    return 1;
}

// Stacks: the sk_… families are macros.
static inline STACK_OF(X509) *purser_certificates_new(void) { return sk_X509_new_null(); }
static inline int purser_certificates_count(const STACK_OF(X509) *stack) {
    return sk_X509_num(stack);
}
static inline X509 *purser_certificates_get0(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}
// Takes a reference of its own; 0 on failure.
static inline int purser_certificates_add1(STACK_OF(X509) *stack, X509 *certificate) {
    return X509_add_cert(stack, certificate, X509_ADD_FLAG_UP_REF);
}
static inline void purser_certificates_free(STACK_OF(X509) *stack) {
    sk_X509_pop_free(stack, X509_free);
}

static inline int purser_objects_count(const EXTENDED_KEY_USAGE *stack) {
    return sk_ASN1_OBJECT_num(stack);
}
static inline ASN1_OBJECT *purser_objects_get0(const EXTENDED_KEY_USAGE *stack, int index) {
    return sk_ASN1_OBJECT_value(stack, index);
}

static inline int purser_signers_count(const STACK_OF(CMS_SignerInfo) *stack) {
    return sk_CMS_SignerInfo_num(stack);
}
static inline CMS_SignerInfo *purser_signers_get0(
    const STACK_OF(CMS_SignerInfo) *stack, int index) {
    return sk_CMS_SignerInfo_value(stack, index);
}

static inline int purser_strings_count(const STACK_OF(OPENSSL_STRING) *stack) {
    return sk_OPENSSL_STRING_num(stack);
}
static inline const char *purser_strings_get0(const STACK_OF(OPENSSL_STRING) *stack, int index) {
    return sk_OPENSSL_STRING_value(stack, index);
}

static inline STACK_OF(PKCS7) *purser_safes_new(void) { return sk_PKCS7_new_null(); }
static inline int purser_safes_push0(STACK_OF(PKCS7) *stack, PKCS7 *safe) {
    return sk_PKCS7_push(stack, safe);
}
static inline int purser_safes_count(const STACK_OF(PKCS7) *stack) { return sk_PKCS7_num(stack); }
static inline PKCS7 *purser_safes_get0(const STACK_OF(PKCS7) *stack, int index) {
    return sk_PKCS7_value(stack, index);
}
static inline void purser_safes_free(STACK_OF(PKCS7) *stack) {
    sk_PKCS7_pop_free(stack, PKCS7_free);
}

static inline STACK_OF(PKCS12_SAFEBAG) *purser_bags_new(void) {
    return sk_PKCS12_SAFEBAG_new_null();
}
static inline int purser_bags_push0(STACK_OF(PKCS12_SAFEBAG) *stack, PKCS12_SAFEBAG *bag) {
    return sk_PKCS12_SAFEBAG_push(stack, bag);
}
static inline int purser_bags_count(const STACK_OF(PKCS12_SAFEBAG) *stack) {
    return sk_PKCS12_SAFEBAG_num(stack);
}
static inline PKCS12_SAFEBAG *purser_bags_get0(const STACK_OF(PKCS12_SAFEBAG) *stack, int index) {
    return sk_PKCS12_SAFEBAG_value(stack, index);
}
static inline void purser_bags_free(STACK_OF(PKCS12_SAFEBAG) *stack) {
    sk_PKCS12_SAFEBAG_pop_free(stack, PKCS12_SAFEBAG_free);
}

// PKCS7 is a struct with a union inside; these look into it and change nothing. NULL: not that sort.
static inline int purser_safe_is_data(PKCS7 *safe) { return PKCS7_type_is_data(safe); }
static inline int purser_safe_is_encrypted(PKCS7 *safe) { return PKCS7_type_is_encrypted(safe); }
static inline X509_ALGOR *purser_safe_algorithm0(PKCS7 *safe) {
    if (!PKCS7_type_is_encrypted(safe) || safe->d.encrypted == NULL
        || safe->d.encrypted->enc_data == NULL)
        return NULL;
    return safe->d.encrypted->enc_data->algorithm;
}

// The certificates in a PKCS#7 that has any; NULL for the other sorts.
static inline STACK_OF(X509) *purser_pkcs7_certificates0(PKCS7 *message) {
    if (PKCS7_type_is_signed(message))
        return message->d.sign == NULL ? NULL : message->d.sign->cert;
    if (PKCS7_type_is_signedAndEnveloped(message))
        return message->d.signed_and_enveloped == NULL ? NULL
                                                       : message->d.signed_and_enveloped->cert;
    return NULL;
}

// What is signed in an OCSP answer, untyped as ASN1_item_verify takes it.
static inline const void *purser_ocsp_data0(const OCSP_BASICRESP *answer) {
    return OCSP_resp_get0_respdata(answer);
}

// SSL_CTX_add1_chain_cert is a macro over SSL_CTX_ctrl.
static inline long purser_tls_add1_chain(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate);
}

// An allocator that wipes what it frees. malloc_usable_size(3) tells how much that is, so nothing
// needs to be remembered beside the block, and realloc copies rather than leave an old one behind.
static inline void purser_wiping_free(void *memory, const char *file, int line) {
    (void)file;
    (void)line;
    if (memory != NULL)
        explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}
static inline void *purser_wiping_malloc(size_t size, const char *file, int line) {
    (void)file;
    (void)line;
    return malloc(size);
}
static inline void *purser_wiping_realloc(void *memory, size_t size, const char *file, int line) {
    if (memory == NULL)
        return malloc(size);
    if (size == 0) {
        purser_wiping_free(memory, file, line);
        return NULL;
    }
    size_t old = malloc_usable_size(memory);
    // Blocks that only shrink a little stay where they are.
    if (size <= old && size > old / 2)
        return memory;
    void *moved = malloc(size);
    if (moved == NULL)
        return NULL;
    memcpy(moved, memory, old < size ? old : size);
    purser_wiping_free(memory, file, line);
    return moved;
}
// 1, or 0 when OpenSSL has allocated already.
static inline int purser_wipe_when_freed(void) {
    return CRYPTO_set_mem_functions(
        purser_wiping_malloc, purser_wiping_realloc, purser_wiping_free);
}

// What the TLS server needs.
#include "tls.h"

#endif

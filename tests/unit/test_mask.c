/* Secrets in metadata are masked, and nothing else is. */
#include "test.h"

#include "base/buffer.h"
#include "base/mask.h"

#include <string.h>

static void expect_masked(const char *key, const char *text, const char *expected)
{
	struct buffer out = { 0 };
	mask_secrets(&out, key, text, strlen(text));
	assert_string_equal(buffer_text(&out), expected);
	buffer_free(&out);
}

TEST(values_of_secret_names)
{
	static const char *const names[] = { "password", "PASSWD",         "db_password",
					     "HF_TOKEN", "token",          "client-secret",
					     "apiKey",   "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY",
					     "SSH_KEY",  "credentials",    "SENTRY_DSN" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buffer text = { 0 };
		expect_masked(names[i], "open sesame", MASKED);
		buffer_printf(&text, "{\"a\":1,\"%s\":\"open sesame\",\"b\":2}", names[i]);
		struct buffer expected = { 0 };
		buffer_printf(&expected, "{\"a\":1,\"%s\":\"" MASKED "\",\"b\":2}", names[i]);
		expect_masked("env", buffer_text(&text), buffer_text(&expected));
		buffer_clear(&text);
		buffer_clear(&expected);
		buffer_printf(&text, "run A=1 %s=sesame --lr 1", names[i]);
		buffer_printf(&expected, "run A=1 %s=" MASKED " --lr 1", names[i]);
		expect_masked("command line", buffer_text(&text), buffer_text(&expected));
		buffer_free(&text);
		buffer_free(&expected);
	}
	expect_masked("argv", "--hub-token abc123 --api-key='a b c' -v",
		      "--hub-token " MASKED " --api-key='" MASKED "' -v");
	expect_masked("json", "{\\\"HF_TOKEN\\\": \\\"abc123\\\"}",
		      "{\\\"HF_TOKEN\\\": \\\"" MASKED "\\\"}");
}

TEST(known_forms_and_addresses)
{
	expect_masked("x", "AKIAIOSFODNN7EXAMPLE", MASKED);
	expect_masked("x", "see hf_abcdefghijklmnopqrstuv.", "see " MASKED ".");
	expect_masked("x", "ghp_0123456789abcdefghij0123456789abcdef", MASKED);
	expect_masked("x", "sk-proj-0123456789abcdefghij", MASKED);
	expect_masked("x", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.SflKxwRJ", MASKED);
	expect_masked("x", "git clone https://me:pass@host/x.git and ftp://u:p@h",
		      "git clone https://me:" MASKED "@host/x.git and ftp://u:" MASKED "@h");
	expect_masked("x", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END", MASKED "-----END");
}

TEST(what_is_no_secret)
{
	static const char *const texts[][2] = {
		{ "max_tokens", "512" },
		{ "token", "151643" },
		{ "pad_token", "<|endoftext|>" },
		{ "config",
		  "{\"eos_token\": \"</s>\", \"num_tokens\": 4096, \"tokenizer\": \"llama\"}" },
		{ "config", "{\"api_key\": null, \"token\": true, \"sort_key\": 1}" },
		{ "url", "https://host:8080/path?a=b#c" },
		{ "path", "/home/user/secrets/train.py" },
		{ "kernel", "void flash_fwd_kernel<Flash_fwd_kernel_traits<64>>(Params)" },
		{ "key", "value" },
		{ "with_stack", "1" },
		{ "", "" },
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		expect_masked(texts[i][0], texts[i][1], texts[i][1]);
}

/* A text on which a rule gives up is masked whole; NUL and other bytes stay. */
TEST(hostile_texts)
{
	struct buffer text = { 0 }, out = { 0 };
	buffer_add(&text, "a\0b\xff password=x\0yz", 18);
	mask_secrets(&out, "x\0", text.data, text.length);
	assert_true(out.length > 4 && memcmp(out.data, "a\0b\xff", 4) == 0);
	assert_null(memmem(out.data, out.length, "yz", 2));
	buffer_clear(&text);
	buffer_clear(&out);
	for (int i = 0; i < 100000; i++)
		buffer_puts(&text, "token-");
	buffer_puts(&text, " password=hunter22");
	mask_secrets(&out, "x", text.data, text.length);
	assert_null(memmem(out.data, out.length, "hunter22", 8));
	buffer_free(&text);
	buffer_free(&out);
}

TEST(nothing_is_masked_on_request)
{
	mask_nothing();
	expect_masked("password", "sesame", "sesame");
}

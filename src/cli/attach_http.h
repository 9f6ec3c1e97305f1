/*
 * Asks an inference server (vLLM, SGLang) to record, by the two requests that both answer.
 */
#pragma once

struct session;

/*
 * POST start_profile, wait for the time of the options, POST stop_profile, and wait for what is
 * new in the directory of -o: its paths become the words of the options. The exit status.
 */
int attach_http(struct session *session);

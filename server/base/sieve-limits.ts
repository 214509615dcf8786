// Limits of Sieve scripts (jmap/sieve): each with its unit and the reason for its value, as in limits.ts.

/** Octets of a script (RFC 9661 1.3.1: maxSizeScript). Hand-written ones have a few kB, generated ones rarely 100. */
export const SIEVE_SCRIPT_MAX_BYTES = 1_048_576
/** Scripts of an account, and octets of UTF-8 in a script's name (RFC 9661 1.3.1: at least 512). */
export const SIEVE_SCRIPTS_MAX = 100
export const SIEVE_SCRIPT_NAME_MAX_BYTES = 512
/** Tests, and commands, in a script. */
export const SIEVE_TESTS_MAX = 10_000
export const SIEVE_COMMANDS_MAX = 20_000
/** Blocks in blocks, and tests in tests; RFC 5228 2.10.5 and 2.10.7 ask for at least 15. */
export const SIEVE_NESTING_MAX = 32
/** Work of one run in steps: a step is a command, a test, or reading about 64 characters. All steps take about 0.1 s of a thread. */
export const SIEVE_STEPS_MAX = 1_000_000
/** Variables of a script, and UTF-16 units of a value, which is cut beyond that (RFC 5229 6: at least 128 and 4,000). */
export const SIEVE_VARIABLES_MAX = 256
export const SIEVE_VARIABLE_MAX_CHARS = 8_192
/** Wildcards of a match that set `${1}`, `${2}` ... (RFC 5229 3.2: at least 9). */
export const SIEVE_MATCH_VARIABLES_MAX = 32
/** UTF-16 units of a regular expression, and its compiled instructions: the time is their number times the length of the text. */
export const SIEVE_REGEX_MAX_CHARS = 1_024
export const SIEVE_REGEX_MAX_INSTRUCTIONS = 5_000
/**
 * Instructions of all regular expressions of a script: compiling a thousand takes some milliseconds. Steps that compiling one during a
 * run counts.
 */
export const SIEVE_REGEX_INSTRUCTIONS_MAX = 50_000
export const SIEVE_REGEX_COMPILE_STEPS = 2_000
/** Actions of one run (RFC 5228 2.10.4 asks for a limit), redirects among them, and flags of a message. */
export const SIEVE_ACTIONS_MAX = 32
export const SIEVE_REDIRECTS_MAX = 4
export const SIEVE_FLAGS_MAX = 64
/** UTF-16 units of body text that a run reads. */
export const SIEVE_BODY_MAX_CHARS = 1_048_576
/** Depth of nested messages whose parts the body test reads. */
export const SIEVE_BODY_DEPTH_MAX = 4
/** Octets of nested messages that it parses, all levels together: 48 MB of dashes four deep took seven seconds, where mail is stored. */
export const SIEVE_NESTED_MAX_BYTES = 2_097_152
/** Notes of a trace, and UTF-16 units of one. */
export const SIEVE_TRACE_MAX = 100
export const SIEVE_NOTE_MAX_CHARS = 200
/** UTF-16 units of the text of a vacation or a refusal. */
export const SIEVE_REASON_MAX_CHARS = 65_536
/**
 * Days between two answers to one sender: RFC 5230 4.1 allows a site to limit them; the default is a week. Seconds: the minimum of RFC
 * 6131.
 */
export const SIEVE_VACATION_DAYS_MAX = 90
export const SIEVE_VACATION_DAYS_DEFAULT = 7
export const SIEVE_VACATION_SECONDS_MIN = 1_800
/** Seconds for which a duplicate is tracked: the default of RFC 7352 3 is 7 days, and a site may limit the value. */
export const SIEVE_DUPLICATE_SECONDS_DEFAULT = 604_800
export const SIEVE_DUPLICATE_SECONDS_MAX = 7_776_000
/** Different keys that one run may look up. */
export const SIEVE_DUPLICATE_KEYS_PER_RUN = 16
/** Compiled scripts kept in memory, and octets of their sources together. */
export const SIEVE_COMPILED_MAX = 500
export const SIEVE_COMPILED_MAX_BYTES = 16_777_216

// Limits of Sieve scripts (jmap/sieve): as in limits.ts, each with its unit and the reason for its value.

/** Octets of a script (RFC 9661 1.3.1: maxSizeScript). Hand-written ones have a few kB; generated ones rarely 100. */
export const SIEVE_SCRIPT_MAX_BYTES = 1_048_576
/** Scripts of an account, and octets of UTF-8 in a script's name (RFC 9661 1.3.1: at least 512). */
export const SIEVE_SCRIPTS_MAX = 100
export const SIEVE_SCRIPT_NAME_MAX_BYTES = 512
/** Tests, and commands, in a script. */
export const SIEVE_TESTS_MAX = 10_000
export const SIEVE_COMMANDS_MAX = 20_000
/** Blocks in blocks, and tests in tests; RFC 5228 2.10.5 and 2.10.7 ask for at least 15. */
export const SIEVE_NESTING_MAX = 32
/** Work of one run in steps: a command, a test, or looking at about 64 characters. All of them take about 0.1 s of a thread. */
export const SIEVE_STEPS_MAX = 1_000_000
/** Variables of a script, and UTF-16 units of one's value, after which it is cut (RFC 5229 6: at least 128 and 4,000). */
export const SIEVE_VARIABLES_MAX = 256
export const SIEVE_VARIABLE_MAX_CHARS = 8_192
/** Wildcards of a match that are kept as `${1}`, `${2}` ... (RFC 5229 3.2: at least 9). */
export const SIEVE_MATCH_VARIABLES_MAX = 32
/** UTF-16 units of a regular expression, and instructions that it compiles to: time is this times the text. */
export const SIEVE_REGEX_MAX_CHARS = 1_024
export const SIEVE_REGEX_MAX_INSTRUCTIONS = 5_000
/** Instructions of all regular expressions of a script: to compile a thousand takes some milliseconds. Steps that compiling one in a run counts. */
export const SIEVE_REGEX_INSTRUCTIONS_MAX = 50_000
export const SIEVE_REGEX_COMPILE_STEPS = 2_000
/** Actions of one run (RFC 5228 2.10.4 asks for a limit), redirects among them, and flags of a message. */
export const SIEVE_ACTIONS_MAX = 32
export const SIEVE_REDIRECTS_MAX = 4
export const SIEVE_FLAGS_MAX = 64
/** UTF-16 units of body text that a run looks at. */
export const SIEVE_BODY_MAX_CHARS = 1_048_576
/** Messages in messages whose parts the body test sees. */
export const SIEVE_BODY_DEPTH_MAX = 4
/** Notes of a trace, and UTF-16 units of one. */
export const SIEVE_TRACE_MAX = 100
export const SIEVE_NOTE_MAX_CHARS = 200
/** UTF-16 units of the text of a vacation or a refusal. */
export const SIEVE_REASON_MAX_CHARS = 65_536
/** Days between two answers to one sender: RFC 5230 4.1 lets a site bound them and has a week unless told. Seconds: RFC 6131, at least this. */
export const SIEVE_VACATION_DAYS_MAX = 90
export const SIEVE_VACATION_DAYS_DEFAULT = 7
export const SIEVE_VACATION_SECONDS_MIN = 1_800
/** Seconds a duplicate is remembered: RFC 7352 3 has 7 days unless told, and lets a site bound what is told. */
export const SIEVE_DUPLICATE_SECONDS_DEFAULT = 604_800
export const SIEVE_DUPLICATE_SECONDS_MAX = 7_776_000
/** Different keys that one run may ask for. */
export const SIEVE_DUPLICATE_KEYS_PER_RUN = 16
/** Compiled scripts kept in memory, and octets of their sources together. */
export const SIEVE_COMPILED_MAX = 500
export const SIEVE_COMPILED_MAX_BYTES = 16_777_216

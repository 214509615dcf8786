/** JSON as it is parsed. RFC 8259; I-JSON (RFC 7493) is checked by i-json.ts. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** The package has no types. */
declare module 'role-based-email-addresses' {
  const groups: { readonly MARKETING: readonly string[]; readonly NOTIFICATION: readonly string[] }
  export default groups
}

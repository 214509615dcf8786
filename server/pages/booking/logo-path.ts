/** The path of the logo of an organization. It names the content, so that browsers keep it. */

const LOGO = /^\/book\/([a-z0-9-]{1,64})\/logo\.([0-9a-f]{20})\.webp$/

export function logoPath(organization: string, tag: string): string {
  return `/book/${organization}/logo.${tag}.webp`
}

/** The slug of the organization and the tag of the logo in a path; null: it is another path. */
export function parseLogoPath(path: string): { readonly organization: string; readonly tag: string } | null {
  const [, organization, tag] = LOGO.exec(path) ?? []
  return organization === undefined || tag === undefined ? null : { organization, tag }
}

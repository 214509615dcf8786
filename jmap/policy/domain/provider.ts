/** The DNS provider of a domain, by the names of its servers: it helps owners to find where to publish the records. */

const PROVIDERS: readonly [label: string, servers: RegExp][] = [
  ['cloudflare', /\.ns\.cloudflare\.com$/],
  ['route53', /\.awsdns-\d+\.(?:com|net|org|co\.uk)$/],
  ['porkbun', /(?:^|\.)porkbun\.com$/],
  ['dnsimple', /(?:^|\.)dnsimple(?:-edge)?\.(?:com|net|org|io)$/],
  ['godaddy', /\.domaincontrol\.com$/],
  ['namecheap', /\.(?:registrar-servers|namecheaphosting)\.com$/],
  ['google', /\.(?:googledomains\.com|google\.com)$/],
  ['azure', /\.azure-dns\.(?:com|net|org|info)$/],
  ['digitalocean', /\.digitalocean\.com$/],
  ['hetzner', /\.(?:hetzner\.(?:com|de)|first-ns\.de|second-ns\.(?:de|com))$/],
  ['ovh', /\.(?:ovh\.(?:net|ca)|anycast\.me)$/],
  ['gandi', /\.gandi\.net$/],
  ['ionos', /\.ui-dns\.(?:com|de|org|biz)$/],
  ['ns1', /\.nsone\.net$/],
  ['vercel', /\.vercel-dns\.com$/],
  ['linode', /\.linode\.com$/],
  ['dnsmadeeasy', /\.dnsmadeeasy\.com$/],
  ['desec', /\.desec\.(?:io|org)$/],
]

/** `manual`: no known provider, or several. */
export function dnsProviderOf(nameServers: readonly string[]): string {
  const labels = new Set(nameServers.map((name) => PROVIDERS.find(([, servers]) => servers.test(name))?.[0]))
  const [label] = labels
  return labels.size === 1 && label !== undefined ? label : 'manual'
}

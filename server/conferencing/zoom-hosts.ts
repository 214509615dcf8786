/** Where Zoom's API is. */
export interface ZoomHosts {
  /** Of tokens: `https://zoom.us/oauth/token`. */
  readonly token: string
  /** Base of the API: `https://api.zoom.us/v2`. */
  readonly api: string
}

const ZOOM: ZoomHosts = { token: 'https://zoom.us/oauth/token', api: 'https://api.zoom.us/v2' }

/** @param base a server that stands for both of Zoom's hosts, in dev mode; null: Zoom's own */
export function zoomHosts(base: string | null): ZoomHosts {
  return base === null ? ZOOM : { token: `${base}/oauth/token`, api: `${base}/v2` }
}

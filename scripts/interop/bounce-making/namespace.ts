/**
 * File systems and a network that only one mail server sees: an overlay over this machine's root, into which Debian's packages are
 * installed without conflict, and a network namespace in which every port of loopback is free and from which nothing leaves.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Overlay {
  /** Where the file system is, in the mount namespace of the calling process. */
  readonly root: string
  /** Mounts it; a shell command, so that it can run in a new namespace. */
  readonly mount: string
}

export function overlayIn(work: string, name: string): Overlay {
  const [upper, scratch, root] = ['upper', 'scratch', 'root'].map((part) => join(work, name, part)) as [
    string,
    string,
    string,
  ]
  for (const path of [upper, scratch, root]) mkdirSync(path, { recursive: true })
  const mount = [
    'mount --make-rprivate /',
    `mount -t overlay overlay -o lowerdir=/,upperdir=${upper},workdir=${scratch} ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount --bind /dev ${root}/dev`,
    `mount -t tmpfs tmpfs ${root}/run`,
    `mount -t tmpfs tmpfs ${root}/tmp`,
  ].join(' && ')
  return { root, mount }
}

/** Installs packages into the overlay, once. They start nothing. */
export function install(work: string, name: string, packages: readonly string[]): void {
  const done = join(work, name, 'installed')
  if (existsSync(done)) return
  const { root, mount } = overlayIn(work, name)
  const inside = [
    'printf "#!/bin/sh\\nexit 101\\n" > /usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d',
    'apt-get update -qq',
    `apt-get install -y -qq --no-install-recommends ${packages.join(' ')}`,
  ].join(' && ')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const quoted = `chroot ${root} sh -c '${inside.replaceAll("'", `'\\''`)}'`
  execFileSync('unshare', ['-m', 'sh', '-c', `${mount} && ${quoted}`], { stdio: ['ignore', 'ignore', 'inherit'], env })
  writeFileSync(done, '')
}

/** Some servers resolve names only if the machine has another address than loopback; nothing is behind this one. */
const INTERFACE = 'ip link add v0 type veth peer name v1 && ip addr add 192.0.2.1/32 dev v0 && ip link set v0 up'

/** Within the namespaces: mounts the overlay, starts loopback, and points the resolver to it. */
export function enter({ root, mount }: Overlay): void {
  const start = `${mount} && ip link set lo up && ${INTERFACE} && hostname mta.test`
  execFileSync('sh', ['-c', start], { stdio: 'inherit' })
  writeInto(root, {
    '/etc/resolv.conf': 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n',
    '/etc/hosts': '127.0.0.1 localhost mta.test\n',
    '/etc/mailname': 'mta.test\n',
  })
}

export function writeInto(root: string, files: { readonly [path: string]: string }): void {
  for (const [path, content] of Object.entries(files)) {
    execFileSync('rm', ['-f', join(root, path)])
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

export function inRoot({ root }: Overlay, command: string): void {
  execFileSync('chroot', [root, 'sh', '-c', command], { stdio: ['ignore', 'inherit', 'inherit'] })
}

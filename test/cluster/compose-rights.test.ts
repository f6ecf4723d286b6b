// What the compose file lets each container do and see. Read as text: a parser of YAML is
// nothing that the product needs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const text = readFileSync(join(ROOT, 'docker-compose.temporal.yml'), 'utf8').replace(/^\s*#.*$/gm, '');
const [, services = ''] = text.split(/^services:$/m);
const [onlyServices = ''] = services.split(/^secrets:$/m);
/** The lines of each service, by its name. */
const blocks = new Map(
  onlyServices
    .split(/^(?= {2}[\w-]+:$)/m)
    .filter(block => block.trim() !== '')
    .map(block => [/^ {2}([\w-]+):/.exec(block)?.[1] ?? '', block]),
);
const anchors = new Map(
  [...text.matchAll(/^x-[\w-]+: &([\w-]+)\n((?: {2}.*\n|\n)*)/gm)].map(([, name = '', lines = '']) => [
    name,
    lines,
  ]),
);

/** A service with everything that it takes over from elsewhere. */
function whole(name: string): string {
  let found = blocks.get(name) ?? '';
  for (let merged = found; ; ) {
    const [, anchor] = /<<: \*([\w-]+)/.exec(merged) ?? [];
    if (anchor === undefined) return found;
    merged = anchors.get(anchor) ?? '';
    found += merged;
  }
}

const names = [...blocks.keys()];

test('has the services that are described', () => {
  expect(names).toEqual(
    expect.arrayContaining(['postgresql', 'temporal', 'temporal-ui', 'worker', 'watcher', 'state-owner']),
  );
});

test.each(names)('%s has no capabilities and gains none', name => {
  expect(whole(name)).toContain('cap_drop: ["ALL"]');
  expect(whole(name)).toContain('no-new-privileges:true');
  expect(whole(name)).not.toMatch(/privileged:|\/var\/run\/docker\.sock|network_mode: host/);
});

test.each(names.filter(name => name !== 'temporal-ui'))('%s cannot write to its image', name => {
  expect(whole(name)).toContain('read_only: true');
});

test('gives back a capability to one service only, which ends at once and has no network', () => {
  const given = names.filter(name => whole(name).includes('cap_add'));
  expect(given).toEqual(['state-owner']);
  expect(whole('state-owner')).toContain('network_mode: none');
  expect(whole('state-owner')).not.toContain('secrets:');
});

test('shows the watcher neither tokens nor the secret of the service', () => {
  const watcher = whole('watcher');
  expect(watcher).toMatch(/source: watcher-state, target: \/state,/);
  expect(watcher).not.toMatch(/source: state,|\*state|client_secret/);
  expect(whole('worker')).toContain('- *state');
});

test('gives the state to whoever DRAWBRIDGE_UID names before anything opens it', () => {
  expect(whole('state-owner')).toMatch(/chown -R \$\{DRAWBRIDGE_UID:-1000\}:\S+ \/state \/watcher-state/);
  for (const name of ['worker', 'watcher'])
    expect(whole(name)).toMatch(/state-owner:\s+condition: service_completed_successfully/);
});

test('has no password of its own', () => {
  expect(text).not.toMatch(/PASSWORD:-/);
  const uses = [...text.matchAll(/\$\{POSTGRES_PASSWORD[^}]*\}/g)].map(([use]) => use);
  expect(uses.length).toBe(3);
  for (const use of uses) expect(use).toContain('POSTGRES_PASSWORD:?');
});

test('has no state volume whose owner an image sets back', () => {
  const mounts = [...text.matchAll(/\{ type: volume.*\}/g)].map(([mount]) => mount);
  expect(mounts.length).toBe(3);
  for (const mount of mounts) expect(mount).toContain('nocopy: true');
});

test('names every image by a whole version', () => {
  const images = [...text.matchAll(/image: (\S+)/g)].map(([, image = '']) => image);
  for (const image of images) expect(image).toMatch(/:(?:\$\{\w+:-)?\d+\.\d+(?:\.\d+)?\}?$/);
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-/m);
  expect(dockerfile.match(/^FROM .*/gm)?.every(line => /^FROM \$\{NODE_IMAGE\}( AS \w+)?$/.test(line))).toBe(
    true,
  );
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(images.filter(image => image.startsWith('drawbridge:'))).toEqual([
    `drawbridge:${version}`,
    `drawbridge:${version}`,
  ]);
});

test('the HTTP API of the Temporal server answers by no name that anybody has', () => {
  const [, path = ''] =
    /\.\/(docker\/\S+):\/etc\/temporal\/dynamic-config\.yaml:ro/.exec(whole('temporal')) ?? [];
  expect(whole('temporal')).toContain('DYNAMIC_CONFIG_FILE_PATH: /etc/temporal/dynamic-config.yaml');
  const settings = readFileSync(join(ROOT, path), 'utf8').replace(/^\s*#.*$/gm, '');
  expect(settings).toMatch(/^frontend\.httpAllowedHosts:\n {2}- value: \["disabled\.invalid"\]$/m);
  expect(whole('temporal')).not.toMatch(/:7243/);
});

test('opens ports to this machine only', () => {
  const ports = [...text.matchAll(/^ {6}- "([\d.:]+)"$/gm)].map(([, port]) => port);
  expect(ports.length).toBe(2);
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});

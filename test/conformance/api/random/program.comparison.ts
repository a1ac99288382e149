// Runs random programs on both servers.
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { eventually } from '../../../support/eventually.js';
import type { ApiSide } from '../api.side.js';
import { prepareNamespace } from '../case.runner.js';
import type { Tally } from '../tally.js';
import { makeProgram } from './program.generator.js';

/** So many programs share a namespace. */
const SHARING = 25;

/** Compares the answers to random requests until there are enough. */
export async function comparePrograms(
  { seed, requests }: { readonly seed: number; readonly requests: number },
  sides: readonly [ApiSide, ApiSide],
  tally: Tally,
): Promise<void> {
  for (const side of sides) await defineWidgets(side);
  let sent = 0;
  for (let index = 0; sent < requests; index++) {
    const ns = `random-${Math.floor(index / SHARING)}`;
    if (index % SHARING === 0) await Promise.all(sides.map((side) => prepareNamespace(side, ns)));
    for (const [number, step] of makeProgram(seed, index).entries()) {
      const request = JSON.parse(
        JSON.stringify(step).replaceAll('{ns}', ns).replaceAll('"NS"', `"${ns}"`),
      ) as typeof step;
      const answers = await Promise.all([sides[0].send(request).catch(() => undefined), sides[1].send(request)]);
      const [real, embedded] = answers;
      // The real server breaks the connection over some patches in which it panics: there is nothing to compare.
      if (!real) break;
      sent++;
      tally.addAnswer({ id: `random: ${seed}/${index}/${number}`, step: request, real, embedded });
      // From here on, the objects would not be the same.
      if (real.code !== embedded.code && request.method !== 'GET') break;
    }
  }
}

async function defineWidgets(side: ApiSide): Promise<void> {
  const body = load(readFileSync(new URL('./widgets.yaml', import.meta.url), 'utf8'));
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await side.send({ method: 'POST', path, headers: {}, body });
  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  // An application needs the schema, which the real server publishes some time after the resource.
  const probe = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'probe' }, spec: { size: 1 } };
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const request = { method: 'PATCH', path: `${widgets}/probe?fieldManager=probe&dryRun=All`, headers, body: probe };
  await eventually('widgets are served', async () => (await side.send(request)).code === 201);
}

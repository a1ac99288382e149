// Runs random programs on both servers.
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { eventually } from '../../../support/time/eventually.js';
import type { ApiSide } from '../api.side.js';
import { prepareNamespace } from '../case.runner.js';
import type { Tally } from '../tally.js';
import type { Answer } from '../answer.normaliser.js';
import { makeHistory } from './history.generator.js';
import { makeProgram, type RandomStep } from './program.generator.js';

/** So many programs share a namespace. */
const SHARING = 25;

/** Chooses the random requests that are compared. */
export interface ProgramOptions {
  readonly seed: number;
  /** So many requests are sent at least. */
  readonly requests: number;
}

interface Programs extends ProgramOptions {
  /** Names the programs, and their namespaces. */
  readonly area: 'random' | 'history';
  readonly make: (seed: number, index: number) => readonly RandomStep[];
}

/** Compares the answers to random requests until there are enough. */
export function comparePrograms(
  options: ProgramOptions,
  sides: readonly [ApiSide, ApiSide],
  tally: Tally,
): Promise<void> {
  return compare({ ...options, area: 'random', make: makeProgram }, sides, tally);
}

/** Compares objects, and to the last byte who owns their fields, after each write of random histories until there are enough. */
export function compareHistories(
  options: ProgramOptions,
  sides: readonly [ApiSide, ApiSide],
  tally: Tally,
): Promise<void> {
  return compare({ ...options, area: 'history', make: makeHistory }, sides, tally);
}

async function compare(
  { seed, requests, area, make }: Programs,
  sides: readonly [ApiSide, ApiSide],
  tally: Tally,
): Promise<void> {
  for (const side of sides) await defineWidgets(side);
  let sent = 0;
  for (let index = 0; sent < requests; index++) {
    const ns = `${area}-${Math.floor(index / SHARING)}`;
    if (index % SHARING === 0) await Promise.all(sides.map((side) => prepareNamespace(side, ns)));
    for (const [number, step] of make(seed, index).entries()) {
      const request = JSON.parse(
        JSON.stringify(step).replaceAll('{ns}', ns).replaceAll('"NS"', `"${ns}"`),
      ) as typeof step;
      const answers = await Promise.all([sides[0].send(request).catch(() => undefined), sides[1].send(request)]);
      const [real, embedded] = answers;
      // The real server breaks the connection over some patches in which it panics: there is nothing to compare.
      if (!real) break;
      sent++;
      const [left, right] =
        area === 'history' ? [withOwnersAsText(real), withOwnersAsText(embedded)] : [real, embedded];
      tally.addAnswer({ id: `${area}: ${seed}/${index}/${number}`, step: request, real: left, embedded: right });
      // From here on, the objects would not be the same.
      if (real.code !== embedded.code && request.method !== 'GET') break;
    }
  }
}

/** Makes texts of the sets of owned fields, as they are compared with the order of their members. */
function withOwnersAsText(answer: Answer): Answer {
  const body = answer.body as { readonly metadata?: { readonly managedFields?: unknown } } | undefined;
  const owners = body?.metadata?.managedFields;
  if (!Array.isArray(owners)) return answer;
  const managedFields = owners.map((owner: { readonly fieldsV1?: unknown }) => {
    return { ...owner, fieldsV1: JSON.stringify(owner.fieldsV1) };
  });
  return { ...answer, body: { ...body, metadata: { ...body!.metadata, managedFields } } };
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

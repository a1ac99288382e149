import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpsSide } from '../https.side.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const SELECTED = `${PATH}?labelSelector=lag`;
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };
const STREAMED = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';

/** The reads that are compared, by the words `SEEN` and `NEWEST` for the versions of the member and of the newest state. */
const READS = [
  `${PATH}/a`,
  `${PATH}/a?resourceVersion=0`,
  `${PATH}/b?resourceVersion=0`,
  `${PATH}/c?resourceVersion=0`,
  `${PATH}/a?resourceVersion=SEEN`,
  `${PATH}/a?resourceVersion=NEWEST`,
  SELECTED,
  `${SELECTED}&limit=1`,
  ...['', '&limit=1', '&resourceVersionMatch=NotOlderThan'].map((rest) => `${SELECTED}&resourceVersion=0${rest}`),
  ...['SEEN', 'NEWEST', '99999999'].flatMap((version) =>
    ['', '&limit=1', '&resourceVersionMatch=NotOlderThan', '&resourceVersionMatch=Exact'].map(
      (rest) => `${SELECTED}&resourceVersion=${version}${rest}`,
    ),
  ),
  ...['', '&resourceVersion=0', '&resourceVersion=SEEN', '&resourceVersion=NEWEST'].flatMap((version) => [
    `${SELECTED}&watch=1${version}`,
    `${SELECTED}&${STREAMED}${version}`,
  ]),
  `${SELECTED}&watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
  `${SELECTED}&watch=1&resourceVersion=99999999`,
];

/** The body of an answer, as far as it is compared. */
interface Body {
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly resourceVersion?: string };
  readonly data?: { readonly a: string };
  readonly items?: readonly Body[];
}

/**
 * Reads from a member that stays behind while there are writes, and afterwards.
 *
 * @param lag lets the member stay behind; gives the function that lets it catch up
 * @returns the answers by the requests, without what differs from cluster to cluster
 */
export async function readFromLaggingMember(side: HttpsSide, lag: () => () => void): Promise<Record<string, string>> {
  const write = async (method: string, path: string, body?: object, headers = {}): Promise<Body> => {
    const { text } = await side.send({ method, path, headers, ...(body && { body }) });
    return JSON.parse(text) as Body;
  };
  const map = (name: string, a: string) => ({ metadata: { name, labels: { lag: '' } }, data: { a } });
  await write('POST', PATH, map('a', '1'));
  const { metadata: seen } = await write('POST', PATH, map('b', '1'));
  // Lets the member see it.
  await side.send({ method: 'GET', path: `${SELECTED}&resourceVersion=${seen.resourceVersion}` });
  const catchUp = lag();
  await write('PATCH', `${PATH}/a`, { data: { a: '2' } }, MERGE_PATCH);
  await write('DELETE', `${PATH}/b`);
  const { metadata: newest } = await write('POST', PATH, map('c', '2'));

  const resolved = (path: string): string =>
    path.replace('SEEN', seen.resourceVersion!).replace('NEWEST', newest.resourceVersion!);
  const named = (text: string): string =>
    text
      .replaceAll(new RegExp(`\\b${seen.resourceVersion}\\b`, 'g'), 'SEEN')
      .replaceAll(new RegExp(`\\b${newest.resourceVersion}\\b`, 'g'), 'NEWEST');
  const answers = READS.map(async (path): Promise<readonly [string, string]> => {
    const url = path.includes('watch=1') ? `${resolved(path)}&timeoutSeconds=5` : resolved(path);
    const { status, headers, text } = await side.send({ method: 'GET', path: url });
    const shown = text.split('\n').filter(Boolean).map(describe);
    return [path, named([status, headers['retry-after'] ?? '-', ...shown].join(' '))];
  });
  const read = await Promise.all(answers);
  // What the member gets in time is answered.
  const late = side.send({ method: 'GET', path: `${SELECTED}&resourceVersion=${newest.resourceVersion}` });
  await sleep(500);
  catchUp();
  return Object.fromEntries([...read, ['in time', named(describe((await late).text))]]);
}

function describe(text: string): string {
  const { type, object, ...body } = JSON.parse(text) as Body & { readonly type?: string; readonly object?: Body };
  if (object?.kind === 'Status' || body.kind === 'Status') {
    // The version that a consistent read needs is that of the whole cluster, which others write to as well.
    const status = JSON.stringify(object ?? body);
    return status.replace(/version: \d+, current: \d+/, (found) => (found.includes('99999999') ? found : 'version: N'));
  }
  if (type) return `${type} ${object!.metadata.name ?? object!.metadata.resourceVersion}=${object!.data?.a ?? ''}`;
  if (!body.items) return `${body.metadata.name}=${body.data?.a}`;
  return `[${body.items.map(({ metadata, data }) => `${metadata.name}=${data!.a}`).join(' ')}]`;
}

import { EmbeddedKube } from 'embedded-kube';
import { startControlPlane } from '../../support/clusters/control-plane.js';
import { HttpsSide } from '../https.side.js';
import { hashOf } from '../../../libs/embedded-kube/src/machinery/shard.selector.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const COUNT = 12;
const MIDDLE = '0x8000000000000000';
const range = (start: string, end: string, field = 'object.metadata.uid'): string =>
  `shardRange(${field}, '${start}', '${end}')`;
const LOW = range('0x0000000000000000', MIDDLE);
const HIGH = range(MIDDLE, '0x10000000000000000');

/** Selectors whose answers do not depend on the identities that a server gives. */
const SELECTORS = [
  `${LOW}||${HIGH}`,
  `( ${LOW} ) || ${HIGH} || ${LOW}`.replaceAll("'", '"'),
  range('0x0000000000000000', MIDDLE, 'object.metadata.namespace'),
  range(MIDDLE, '0x10000000000000000', 'object.metadata.namespace'),
  '   ',
  '',
  range('0x0', MIDDLE),
  range(MIDDLE, '0x0'),
  range(MIDDLE, MIDDLE),
  range(MIDDLE, '0x0000000000000000'),
  range('0x10000000000000000', '0x10000000000000000'),
  range('0x0000000000000000', '0x20000000000000000'),
  range('0x0000000000000000', '0x123456789012345678'),
  range('0', '8'),
  range('0X0', MIDDLE),
  range('0x', '0x8'),
  range('', ''),
  range('0xABCDEF', MIDDLE),
  range('0x0', '0x8', 'object.metadata.name'),
  range('0x0', '0x8', 'metadata.uid'),
  range('0x0', '0x8', 'object'),
  range('0x0', '0x8', "'object.metadata.uid'"),
  range('0x0', '0x8', "object['metadata'].uid"),
  ...['0', '5.0', '1u', 'true', 'null', "b'0x0'", 'foo', "'0x0' + ''"].map(
    (start) => `shardRange(object.metadata.uid, ${start}, '${MIDDLE}')`,
  ),
  "shardRange(object.metadata.uid, '0x0')",
  'shardRange()',
  `${LOW} && ${HIGH}`,
  `!${LOW}`,
  `${LOW} || foo`,
  'true',
  'foo(1)',
  'object.x',
  '[1]',
  '{}',
  'Foo{}',
  'a + b',
  'x ? y : z',
  'a[1]',
  'has(a.b)',
  'foo bar',
  '1 +',
];

interface List {
  readonly metadata: { readonly shardInfo?: { readonly selector: string }; readonly continue?: string };
  readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[];
}

const listed = async (side: HttpsSide, selector: string, rest = ''): Promise<List> => {
  const { text } = await side.send({ method: 'GET', path: pathOf(selector, rest) });
  return JSON.parse(text) as List;
};
const pathOf = (selector: string, rest = ''): string =>
  `${PATH}?labelSelector=shards&shardSelector=${encodeURIComponent(selector)}${rest}`;

/** The answers to all selectors, and what each half of the hashes has, in pages and as a watch. */
async function readShards(side: HttpsSide): Promise<Record<string, unknown>> {
  for (let index = 0; index < COUNT; index += 1) {
    const body = { metadata: { name: `map-${index}`, labels: { shards: '' } } };
    await side.send({ method: 'POST', path: PATH, body });
  }
  const answers: Record<string, unknown> = {};
  const queries = ['', '&watch=1&timeoutSeconds=1&resourceVersion=99999999'];
  const requests = SELECTORS.flatMap((selector) => queries.map((rest) => [selector, rest] as const));
  await Promise.all(
    requests.map(async ([selector, rest]) => {
      const { status, text } = await side.send({ method: 'GET', path: pathOf(selector, rest) });
      const body = text ? (JSON.parse(text) as Partial<List>) : {};
      const names = body.items?.map(({ metadata }) => metadata.name);
      answers[`${selector}${rest}`] = [status, ...(names ? [body.metadata?.shardInfo, names] : [body])];
    }),
  );
  const all = await side.send({ method: 'GET', path: `${PATH}?labelSelector=shards` });
  const { items } = JSON.parse(all.text) as List;
  for (const [selector, isLow] of [
    [LOW, true],
    [HIGH, false],
  ] as const) {
    const expected = items
      .filter(({ metadata }) => hashOf(metadata.uid) < '8' === isLow)
      .map(({ metadata }) => metadata.name);
    const whole = await listed(side, selector);
    const page = await listed(side, selector, '&limit=1');
    const rest = page.metadata.continue
      ? await listed(side, selector, `&continue=${page.metadata.continue}`)
      : { items: [] };
    const paged = [...page.items, ...rest.items].map(({ metadata }) => metadata.name);
    const watched = await side.send({
      method: 'GET',
      path: pathOf(selector, '&watch=1&resourceVersion=0&timeoutSeconds=1'),
    });
    const added = [...watched.text.matchAll(/"name":"(map-\d+)"/g)].map(([, name]) => name);
    answers[`${selector}, all ways alike`] = [whole.items.map(({ metadata }) => metadata.name), paged, added].map(
      (names) => names.join() === expected.join(),
    );
  }
  return answers;
}

describe('sharded lists and watches', () => {
  it('should be answered on both servers alike', async () => {
    const plane = await startControlPlane({ controllers: false, featureGates: 'ShardedListAndWatch=true' });
    const kube = await EmbeddedKube.start({ featureGates: { ShardedListAndWatch: true } });
    const sides = [new HttpsSide(plane.url, plane.token), new HttpsSide(kube.url, kube.token)] as const;
    try {
      const [expected, actual] = await Promise.all(sides.map(readShards));
      expect(actual).toEqual(expected);
      expect(expected[`${LOW}, all ways alike`]).toEqual([true, true, true]);
    } finally {
      for (const side of sides) side.close();
      await kube.stop();
      await plane.stop();
    }
  });
});

import { EmbeddedKube } from '../embedded-kube.js';
import { Harness } from '../harness.spec-support.js';
import type { StatusError } from '../errors/status.error.js';
import { hashOf, ShardSelector } from './shard.selector.js';

const LOW = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
const HIGH = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";
const PATH = '/api/v1/namespaces/default/configmaps';

const problemOf = (text: string): string => {
  try {
    ShardSelector.parse(text);
    return '';
  } catch (error) {
    const { code, reason, message } = error as StatusError;
    expect([code, reason]).toEqual([500, '']);
    return message.replace('invalid shard selector: ', '');
  }
};
const uid = (start: string, end = "'0x8000000000000000'"): string =>
  `shardRange(object.metadata.uid, ${start}, ${end})`;

describe('hashOf', () => {
  // As given by the real server's answers, and in the published vectors of the function.
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
    ['default', 'ebada5168620c5fe'],
    ['é', '0828fd07b5ab81c2'],
  ])('should hash %j by FNV-1a', (text, expected) => {
    let hash = 0xcbf29ce484222325n;
    for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
    expect(hash.toString(16).padStart(16, '0')).toBe(hashOf(text));
    if (text !== 'é') expect(hashOf(text)).toBe(expected);
  });
});

describe('ShardSelector', () => {
  it.each([
    [LOW, LOW],
    [`(${LOW})`, LOW],
    [`${LOW}||${HIGH} ||${LOW}`, `${LOW} || ${HIGH} || ${LOW}`],
    [LOW.replaceAll("'", '"'), LOW],
  ])('should tell in one form what it selects: %s', (text, expected) => {
    expect(ShardSelector.parse(text).text).toBe(expected);
  });

  it.each([
    ['   ', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
    [uid("'0x0'"), 'hexStart must be a 0x-prefixed 16-digit hex value, got "0x0" (did you mean "0x0000000000000000"?)'],
    [
      uid("'0x8000000000000000'", "'0x0'"),
      'hexEnd must be a 0x-prefixed 16-digit hex value, got "0x0" (did you mean "0x0000000000000000"?)',
    ],
    [uid("'0x8000000000000000'"), 'shard range start 0x8000000000000000 must be less than end 0x8000000000000000'],
    [
      uid("'0x10000000000000000'", "'0x10000000000000000'"),
      'shard range start 0x10000000000000000 must be less than end 0x10000000000000000',
    ],
    [uid("'0'"), 'hexStart must have \'0x\' prefix, got "0"'],
    [uid("'0X0'"), 'hexStart must have \'0x\' prefix, got "0X0"'],
    [uid("'0x'"), "hexStart: hex value is required after '0x'"],
    [uid("'0xABCDEF'"), 'hexStart: invalid hex character "A" in "0xABCDEF"'],
    [
      uid("'0x00000000000000000'"),
      `hexStart: 17-digit hex value must be '0x10000000000000000' (2^64), got "0x00000000000000000"`,
    ],
    [
      uid("'0x0000000000000000'", "'0x123456789012345678'"),
      'hexEnd: hex value too long (18 chars, max 17): "123456789012345678"',
    ],
    [uid('0'), 'hexStart must be a string literal, got int64'],
    [uid("'0x0000000000000000'", '5.0'), 'hexEnd must be a string literal, got float64'],
    [uid("b'0x0'"), 'hexStart must be a string literal, got []uint8'],
    [uid('1u'), 'hexStart must be a string literal, got uint64'],
    [uid('true'), 'hexStart must be a string literal, got bool'],
    [uid('null'), 'hexStart must be a string literal, got structpb.NullValue'],
    [uid("'0x0' + ''"), "hexStart must be a string literal (e.g. '0xff'), got expression kind 1"],
    [uid('foo'), "hexStart must be a string literal (e.g. '0xff'), got expression kind 3"],
    [
      "shardRange(object.metadata.name, '0x0', '0x8')",
      'unsupported field path "object.metadata.name"; supported: object.metadata.uid, object.metadata.namespace',
    ],
    [
      "shardRange('object.metadata.uid', '0x0', '0x8')",
      'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 5',
    ],
    [
      "shardRange(object['metadata'].uid, '0x0', '0x8')",
      'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 1',
    ],
    ["shardRange(object.metadata.uid, '0x0')", 'shardRange() requires exactly 3 arguments, got 2'],
    ['shardRange()', 'shardRange() requires exactly 3 arguments, got 0'],
    ['true', 'unexpected expression kind 5; expected shardRange() call or || operator'],
    [`${LOW} || foo`, 'unexpected expression kind 3; expected shardRange() call or || operator'],
    ['object.x', 'unexpected expression kind 7; expected shardRange() call or || operator'],
    ['[1]', 'unexpected expression kind 4; expected shardRange() call or || operator'],
    ['{}', 'unexpected expression kind 6; expected shardRange() call or || operator'],
    ['Foo{}', 'unexpected expression kind 8; expected shardRange() call or || operator'],
    [`${LOW} && ${HIGH}`, 'unsupported function "_&&_"; only shardRange() and || are allowed'],
    [`!${LOW}`, 'unsupported function "!_"; only shardRange() and || are allowed'],
    ['has(a.b)', 'unsupported function "has"; only shardRange() and || are allowed'],
    ['a[1]', 'unsupported function "_[_]"; only shardRange() and || are allowed'],
    ['foo bar', "CEL parse error: Syntax error: extraneous input 'bar' expecting <EOF>"],
    [
      '1 +',
      "CEL parse error: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ])('should reject %s as the real server does', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });
});

describe('sharded lists and watches', () => {
  let cluster: Harness;
  const namesOf = ({ body }: { body: { items: { metadata: { name: string } }[] } }): string[] =>
    body.items.map(({ metadata }) => metadata.name);
  const shard = (selector: string): string => `shardSelector=${encodeURIComponent(selector)}`;
  const expected = (isLow: boolean): string[] =>
    cluster.kube.client
      .list({ group: '', plural: 'configmaps' }, 'default')
      .filter(({ metadata }) => hashOf(metadata.uid!) < '8' === isLow)
      .map(({ metadata }) => metadata.name!);
  const create = async (featureGates?: { readonly ShardedListAndWatch: boolean }): Promise<void> => {
    cluster = await Harness.start({ ...(featureGates && { featureGates }) });
    for (let index = 0; index < 12; index += 1) await cluster.post(PATH, { metadata: { name: `map-${index}` } });
  };
  afterEach(() => cluster?.kube.stop());

  it('should divide a list, page by page, and say so', async () => {
    await create({ ShardedListAndWatch: true });
    const low = await cluster.get(`${PATH}?${shard(LOW)}`);
    const high = await cluster.get(`${PATH}?${shard(HIGH)}`);
    expect([namesOf(low), namesOf(high)]).toEqual([expected(true), expected(false)]);
    expect(low.body).toMatchObject({ metadata: { shardInfo: { selector: LOW } } });
    expect(namesOf(await cluster.get(`${PATH}?${shard(`${LOW}||${HIGH}`)}`))).toHaveLength(12);
    const page = await cluster.get(`${PATH}?limit=1&${shard(LOW)}`);
    const { metadata } = page.body as { metadata: { continue: string; remainingItemCount?: number } };
    expect(metadata.remainingItemCount).toBeUndefined();
    const rest = await cluster.get(`${PATH}?continue=${metadata.continue}&${shard(LOW)}`);
    expect([...namesOf(page), ...namesOf(rest)]).toEqual(expected(true));
    const headers = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };
    const partial = await cluster.get(`${PATH}?${shard(LOW)}`, headers);
    expect(namesOf(partial)).toEqual(expected(true));
    expect((partial.body as { metadata: object }).metadata).not.toHaveProperty('shardInfo');
  });

  it('should divide a watch', async () => {
    await create({ ShardedListAndWatch: true });
    const watch = await cluster.watch(`${PATH}?watch=1&resourceVersion=0&${shard(LOW)}`);
    const names = expected(true);
    expect(await watch.summary(names.length)).toEqual(names.map((name) => `ADDED ${name}`));
    for (let index = 0; index < 12; index += 1) await cluster.delete(`${PATH}/map-${index}`);
    const deleted = await watch.summary(names.length);
    expect(deleted.sort()).toEqual(names.map((name) => `DELETED ${name}`));
    await watch.close();
  });

  it('should divide by namespaces, and what is deleted as a collection', async () => {
    await create({ ShardedListAndWatch: true });
    const half = "shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')";
    expect(namesOf(await cluster.get(`${PATH}?${shard(half)}`))).toHaveLength(12);
    expect(
      namesOf(await cluster.get(`${PATH}?${shard(half.replace('0x8000000000000000', '0xf000000000000000'))}`)),
    ).toEqual([]);
    const left = expected(false);
    await cluster.delete(`${PATH}?${shard(LOW)}`);
    expect(expected(false)).toEqual(left);
    expect(expected(true)).toEqual([]);
  });

  it('should reject what is no selector', async () => {
    await create({ ShardedListAndWatch: true });
    for (const query of ['', '&watch=1']) {
      const { status, body } = await cluster.get(`${PATH}?${shard('true')}${query}`);
      expect([status, body]).toMatchObject([500, { message: expect.stringContaining('expression kind 5') as string }]);
      expect(body).not.toHaveProperty('reason');
    }
    expect((await cluster.get(`${PATH}?shardSelector=`)).status).toBe(200);
  });

  it('should not be there without their feature gate', async () => {
    await create();
    expect(namesOf(await cluster.get(`${PATH}?${shard(LOW)}`))).toHaveLength(12);
    expect(namesOf(await cluster.get(`${PATH}?${shard('true')}`))).toHaveLength(12);
  });

  it('should not be switched by the name of another feature', async () => {
    const featureGates = { ShardedListWatch: true } as { ShardedListAndWatch?: boolean };
    await expect(EmbeddedKube.start({ port: false, featureGates })).rejects.toThrow(
      'The feature gate ShardedListWatch does not exist, or makes no difference here; these do: ShardedListAndWatch',
    );
  });
});

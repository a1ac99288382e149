import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import type { KopfLogger, LogFields } from '../common/kopf.logger.js';
import { createObjectLogger, OverheardLogger } from './object.logger.js';

describe('createObjectLogger', () => {
  it.each([
    [{ namespace: 'ns', name: 'a' }, '[ns/a] text'],
    [{ name: 'a' }, '[a] text'],
    [{}, '[] text'],
  ])('should put the object in front where the logger takes no fields: %j', (metadata, expected) => {
    const sink = new MemoryLogger();
    createObjectLogger(sink, { metadata }).log('text');
    expect(sink.messages()).toEqual([expected]);
  });

  it('should tell the logger which object it is, if it takes fields', () => {
    const children: LogFields[] = [];
    const child = (fields: LogFields): KopfLogger => (children.push(fields), sink);
    const sink: KopfLogger = Object.assign(new MemoryLogger(), { child });
    const metadata = { namespace: 'ns', name: 'a', uid: 'u', labels: { l: 'x' } };
    createObjectLogger(sink, { apiVersion: 'v1', kind: 'Pod', metadata, spec: {} }, 'pods.v1');
    const object = { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: 'a', uid: 'u' };
    expect(children).toEqual([{ object, resource: 'pods.v1' }]);
  });
});

describe('OverheardLogger', () => {
  it('should tell the listener of all levels, without the object in front, also as a child', () => {
    const heard: unknown[] = [];
    const sink = new MemoryLogger();
    const logger = new OverheardLogger(createObjectLogger(sink, { metadata: { name: 'a' } }), (level, message) =>
      heard.push([level, message()]),
    ).child({ handler: 'create' });
    const error = new Error('x');
    logger.verbose?.('v');
    logger.debug(() => 'd');
    logger.log('l');
    logger.warn(() => 'w');
    logger.error('e', error);
    expect(heard).toEqual([
      ['debug', 'd'],
      ['log', 'l'],
      ['warn', 'w'],
      ['error', 'e'],
    ]);
    expect(sink.lines.at(-1)).toMatchObject({ level: 'error', message: '[a] e', error });
  });
});

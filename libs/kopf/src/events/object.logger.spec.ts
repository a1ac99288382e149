import { MemoryLogger } from '../../../../test/support/memory.logger.js';
import { ObjectLogger } from './object.logger.js';

describe('ObjectLogger', () => {
  it.each([
    [{ namespace: 'ns', name: 'a' }, '[ns/a] text'],
    [{ name: 'a' }, '[a] text'],
    [{}, '[] text'],
  ])('should put the object in front: %j', (metadata, expected) => {
    const sink = new MemoryLogger();
    new ObjectLogger(sink, metadata).log('text');
    expect(sink.messages()).toEqual([expected]);
  });

  it('should tell the listener of all levels, without the object in front', () => {
    const heard: unknown[] = [];
    const sink = new MemoryLogger();
    const logger = new ObjectLogger(sink, { name: 'a' }, (level, message) => heard.push([level, message()]));
    const error = new Error('x');
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
    expect(sink.lines.at(-1)).toEqual({ level: 'error', message: '[a] e', error });
  });
});

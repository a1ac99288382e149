import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { VirtualClock } from 'nestjs-kopf/testing';
import type { InspectionObserver, ObjectAddress, OperatorEvent, OperatorInspection } from 'nestjs-kopf/inspection';
import { StreamHub } from './stream.hub.js';

/** A response whose reader takes nothing, or everything. */
class Reader extends EventEmitter {
  text = '';
  messages = 0;
  writableLength = 0;
  isEnded = false;
  isDestroyed = false;

  constructor(private readonly isSlow = false) {
    super();
  }

  writeHead(): void {}

  write(text: string): void {
    this.messages += 1;
    if (this.isSlow) this.writableLength += Buffer.byteLength(text);
    else this.text += text;
  }

  end(): void {
    this.isEnded = true;
  }

  destroy(): void {
    this.isDestroyed = true;
  }
}

/** A source of prepared answers. */
class Teller {
  readonly logBeganAt = 1000;
  listener?: InspectionObserver;
  private readonly events: OperatorEvent[] = [];

  subscribe(listener: InspectionObserver): () => void {
    this.listener = listener;
    return () => (this.listener = undefined);
  }

  recentEvents(): readonly OperatorEvent[] {
    return this.events.slice(-2000);
  }

  say(text: string): void {
    const actor = { kind: 'operator', name: 'operator' } as const;
    const event = { number: (this.events.at(-1)?.number ?? 0) + 1, time: 0, type: 'note', actor, text } as const;
    this.events.push(event);
    this.listener?.log(event);
  }
}

class HubWorld {
  readonly clock = new VirtualClock();
  readonly source = new Teller();
  readonly hub = new StreamHub(this.source as unknown as OperatorInspection, this.clock);

  open(reader: Reader, topics = ['log', 'objects'], lastEventId?: string, viewer = 'alice'): Reader {
    this.hub.open(reader as unknown as ServerResponse, new Set(topics), { viewer, lastEventId });
    return reader;
  }
}

describe('The streams to viewers', () => {
  it('should send away a reader that is too slow, and keep nothing for it', async () => {
    const world = new HubWorld();
    const [slow, quick] = [world.open(new Reader(true)), world.open(new Reader())];
    for (let round = 0; round < 30; round++) {
      world.source.say(`${round} ${'x'.repeat(100_000)}`);
      await world.clock.advance(200);
    }
    expect(slow.isDestroyed).toBe(true);
    expect(slow.writableLength).toBeLessThan(1.2 * 1024 * 1024);
    expect(quick.text.match(/^data: /gm)!.length).toBe(31);
    expect(quick.isEnded).toBe(false);
  });

  it('should send several events in one message, the first ones at once', async () => {
    const world = new HubWorld();
    const reader = world.open(new Reader());
    await world.clock.advance(1000);
    const count = () => reader.text.match(/"text":/g)?.length ?? 0;
    world.source.say('first');
    world.source.say('second');
    await world.clock.advance(1);
    expect(count()).toBe(2);
    const messages = reader.text.match(/^data: /gm)!.length;
    for (let index = 0; index < 50; index++) world.source.say('more');
    await world.clock.advance(150);
    expect(count()).toBe(2);
    await world.clock.advance(50);
    expect(count()).toBe(52);
    expect(reader.text.match(/^data: /gm)!.length).toBe(messages + 1);
  });

  it('should keep the last events only', async () => {
    const world = new HubWorld();
    const reader = world.open(new Reader());
    for (let index = 0; index < 5000; index++) world.source.say(`event ${index}`);
    await world.clock.advance(100);
    reader.emit('close');
    expect(world.open(new Reader(), ['log'], '1000-10').text).toContain('"reset"');
    const later = world.open(new Reader(), ['log'], '1000-4990');
    expect(later.text.match(/"text":"event \d+"/g)).toHaveLength(10);
  });

  it('should not count as sent what was not sent yet', async () => {
    const world = new HubWorld();
    const reader = world.open(new Reader());
    world.source.say('sent');
    await world.clock.advance(100);
    world.source.say('not sent');
    const early = world.open(new Reader());
    expect(/^id: (.*)$/m.exec(early.text)![1]).toBe('1000-1');
    await world.clock.advance(200);
    expect(early.text).toContain('"not sent"');
    expect(reader.text.match(/^id: (.*)$/gm)!.at(-1)).toBe('id: 1000-2');
  });

  it('should follow the source for a while after the last reader, and no longer than until the end', async () => {
    const world = new HubWorld();
    world.open(new Reader()).emit('close');
    await world.clock.advance(29_000);
    expect(world.source.listener).toBeDefined();
    world.open(new Reader()).emit('close');
    await world.clock.advance(29_000);
    expect(world.source.listener).toBeDefined();
    await world.clock.advance(2000);
    expect(world.source.listener).toBeUndefined();
  });

  it('should leave nothing behind that keeps a process from ending', async () => {
    const world = new HubWorld();
    const readers = [world.open(new Reader()), world.open(new Reader())];
    readers[0].emit('close');
    world.source.say('something');
    world.source.listener!.changed('objects');
    world.hub.close();
    expect(readers.map(({ isEnded }) => isEnded)).toEqual([true, true]);
    expect(world.source.listener).toBeUndefined();
    expect(world.clock.nextTimerIn).toBeUndefined();
    expect(() => world.open(new Reader())).toThrow('stops');
  });

  it('should not be opened without limit', () => {
    const world = new HubWorld();
    for (let index = 0; index < 100; index++) world.open(new Reader());
    expect(() => world.open(new Reader())).toThrow('too many');
  });

  it('should be limited for each viewer, so that one cannot keep the others out', () => {
    const world = new HubWorld();
    const readers = Array.from({ length: 100 }, () => world.open(new Reader()));
    expect(() => world.open(new Reader())).toThrow('too many streams to this viewer');
    expect(() => world.open(new Reader(), undefined, undefined, 'bob')).not.toThrow();
    readers[0]!.emit('close');
    expect(() => world.open(new Reader())).not.toThrow();
  });

  it('should send what has happened and what has changed together, and nothing that no tab follows', async () => {
    const world = new HubWorld();
    const reader = world.open(new Reader(), ['log', 'objects']);
    await world.clock.advance(1000);
    const before = reader.messages;
    for (let index = 0; index < 100; index++) {
      world.source.say('something');
      for (const topic of ['objects', 'now', 'memory'] as const) world.source.listener!.changed(topic);
      await world.clock.advance(10);
    }
    expect(reader.messages - before).toBeLessThan(10);
    expect(reader.text).toContain('["objects"]');
    expect(reader.text).not.toContain('memory');
  });

  it('should report numbers in the frame less often than lively topics', async () => {
    const world = new HubWorld();
    const reader = world.open(new Reader(), ['objects', 'overview']);
    for (let index = 0; index < 100; index++) {
      for (const topic of ['objects', 'overview'] as const) world.source.listener!.changed(topic);
      await world.clock.advance(50);
    }
    const count = (topic: string) => reader.text.match(new RegExp(`"${topic}"`, 'g'))!.length;
    expect(count('objects')).toBeGreaterThan(20);
    expect(count('overview')).toBeLessThan(13);
  });

  it('should report no change after which what was fetched is the same', async () => {
    const world = new HubWorld();
    const reader = world.open(new Reader(), ['objects']);
    let [first, second] = ['idle', 'idle'];
    const told = async () => {
      const before = reader.text.length;
      world.source.listener!.changed('objects');
      await world.clock.advance(500);
      return reader.text.slice(before).includes('"objects"');
    };
    const fetchBoth = async () => {
      await world.hub.answer('objects', 'offset=0', () => first);
      await world.hub.answer('objects', 'offset=1', () => second);
    };
    expect(await told()).toBe(true);
    await fetchBoth();
    expect([await told(), await told()]).toEqual([false, false]);
    second = 'failing';
    expect(await told()).toBe(true);
    await fetchBoth();
    expect(await told()).toBe(false);
    first = 'waiting';
    expect(await told()).toBe(true);
  });

  it('should tell of what has changed between the answers of a tab and the beginning of its stream', async () => {
    const world = new HubWorld();
    world.open(new Reader(), ['overview']);
    await world.hub.answer('objects', 'limit=100', () => ({ total: 7 }));
    world.source.listener!.changed('objects');
    let total = 8;
    await world.hub.answer('objects', 'limit=100', () => ({ total }));
    world.source.listener!.changed('objects');
    total = 7;
    const reader = world.open(new Reader(), ['objects']);
    await world.clock.advance(300);
    expect(reader.text).toContain('"topics":["objects"]');
    // What has changed long before was in the answers.
    await world.clock.advance(10_000);
    const later = world.open(new Reader(), ['objects']);
    await world.clock.advance(300);
    expect(later.text).not.toContain('"topics"');
  });

  it('should tell of an object to the tabs that show it, and to all when it concerns all', async () => {
    const world = new HubWorld();
    const [one, other] = [
      world.open(new Reader(), ['objects/parts/ns/a']),
      world.open(new Reader(), ['objects/nodes/-/b']),
    ];
    const told = async (object?: ObjectAddress) => {
      const before = [one.text.length, other.text.length];
      world.source.listener!.changedObject(object);
      await world.clock.advance(2000);
      return [one, other].map(({ text }, index) => text.slice(before[index]).includes('"changed"'));
    };
    expect(await told({ resource: 'parts', namespace: 'ns', name: 'a' })).toEqual([true, false]);
    expect(await told({ resource: 'nodes', name: 'b' })).toEqual([false, true]);
    expect(await told({ resource: 'parts', namespace: 'ns', name: 'b' })).toEqual([false, false]);
    expect(await told()).toEqual([true, true]);
  });

  it('should tell less often of what takes long to answer', async () => {
    const world = new HubWorld();
    const reader = world.open(new Reader(), ['objects']);
    const count = async () => {
      const before = reader.text.match(/"changed"/g)?.length ?? 0;
      for (let index = 0; index < 100; index++) {
        world.source.listener!.changed('objects');
        await world.clock.advance(100);
      }
      return (reader.text.match(/"changed"/g)?.length ?? 0) - before;
    };
    expect(await count()).toBeGreaterThan(25);
    await world.hub.answer('objects', '', () => world.clock.advance(20));
    const slower = await count();
    expect([slower > 3, slower < 8]).toEqual([true, true]);
  });
});

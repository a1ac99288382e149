import {
  Daemon,
  Index,
  KopfBootstrapError,
  KopfRegistry,
  KopfIndices,
  KopfWatcher,
  OnChild,
  OnCreate,
  OnDelete,
  OnEvent,
  OnStartup,
  OnUpdate,
  Timer,
  type ChangeContext,
  type ChildContext,
  type DaemonContext,
  type EventContext,
  type IndexContext,
} from 'nestjs-kopf';
import { Spec } from 'nestjs-kopf/parameters';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { failOnUnhandledRejections } from '../../support/runner/unhandled.rejections.js';
import { createChild } from '../relations/relations.operator.js';

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

describe('Handlers that are added while the operator runs', () => {
  failOnUnhandledRejections();
  let harness: OperatorHarness;
  const calls: string[] = [];
  const registry = () => harness.get(KopfRegistry);
  const watched = () =>
    harness
      .get(KopfWatcher)
      .states.map(({ resource }) => resource.plural)
      .sort();
  const finalizersOf = async (name: string) => (await harness.object(name)).metadata.finalizers;

  class Existing {
    @OnEvent('v1', 'secrets')
    secret() {}
  }
  class Late {
    @OnCreate(...KEX)
    create({ name }: ChangeContext) {
      calls.push(`create ${name}`);
    }
    @OnUpdate(...KEX)
    update({ name }: ChangeContext) {
      calls.push(`update ${name}`);
    }
    @OnDelete(...KEX)
    remove({ name }: ChangeContext) {
      calls.push(`remove ${name}`);
    }
  }

  beforeEach(async () => {
    calls.length = 0;
    harness = await OperatorHarness.start();
  });

  it('should be called for existing and new objects, until they are removed, and not hold these any longer', async () => {
    await harness.run(Existing);
    await harness.create('a');
    await harness.advance(5);
    expect(watched()).toEqual(['secrets']);
    const registration = registry().add(new Late());
    expect(registration.handlers.map(({ kind, id, source }) => `${kind} ${id} ${source}`)).toEqual([
      'changing create Late.create',
      'changing update Late.update',
      'changing remove Late.remove',
    ]);
    await harness.advance(5);
    await harness.create('b');
    await harness.advance(1);
    expect(watched()).toEqual(['kopfexamples', 'secrets']);
    expect(calls.splice(0)).toEqual(['create a', 'create b']);
    expect(await finalizersOf('a')).toEqual([FINALIZER]);
    registration.remove();
    registration.remove();
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(10);
    expect(calls).toEqual([]);
    expect(await finalizersOf('a')).toBeUndefined();
    expect(watched()).toEqual(['secrets']);
    await harness.delete('b');
    expect(await harness.read('b')).toBeUndefined();
    expect(registry().findById('create')).toEqual([]);
  });

  it('should go on where they were before, if they are added again or after a restart', async () => {
    await harness.run(Existing);
    await harness.create('a');
    registry().add(new Late()).remove();
    const registration = registry().add(new Late());
    await harness.advance(5);
    registration.remove();
    await harness.advance(10);
    await harness.patch('a', { spec: { field: 'v2' } });
    registry().add(new Late());
    await harness.advance(5);
    await harness.stop();
    await harness.run(Late);
    await harness.delete('a');
    await harness.advance(5);
    expect(calls).toEqual(['create a', 'update a', 'remove a']);
  });

  it('should be functions, beside other handlers of the resource', async () => {
    await harness.run(Late);
    await harness.create('a');
    await harness.advance(1);
    expect(calls.splice(0)).toEqual(['create a']);
    const seen = registry().add(OnEvent(...KEX), function see({ name, type }: EventContext) {
      calls.push(`see ${name} ${type}`);
    });
    const changed = registry().add(OnUpdate(...KEX, { id: 'changed' }), ({ name }: ChangeContext) => {
      calls.push(`changed ${name}`);
    });
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    expect(calls).toEqual(expect.arrayContaining(['see a null', 'see a MODIFIED', 'changed a', 'update a']));
    seen.remove();
    changed.remove();
    calls.length = 0;
    await harness.patch('a', { spec: { field: 'v3' } });
    await harness.advance(10);
    expect(calls).toEqual(['update a']);
    expect(watched()).toEqual(['kopfexamples']);
  });

  it('should be daemons and timers, which are stopped when they are removed, and started again', async () => {
    class Background {
      @Daemon(...KEX)
      async run({ name, stopped }: DaemonContext) {
        calls.push(`${name} starts`);
        await stopped.wait();
        calls.push(`${name} stops`);
      }
      @Timer(...KEX, { interval: 10 })
      tick({ name }: DaemonContext) {
        calls.push(`${name} ticks`);
      }
    }
    const operator = await harness.run(Existing);
    await harness.create('a');
    const first = registry().add(new Background());
    await harness.advance(5);
    expect(await finalizersOf('a')).toEqual([FINALIZER]);
    first.remove();
    await harness.advance(30);
    expect(calls.splice(0)).toEqual(['a starts', 'a ticks', 'a stops']);
    expect(await finalizersOf('a')).toBeUndefined();
    const second = registry().add(new Background());
    await harness.advance(5);
    operator.pause('for a while');
    await harness.advance(5);
    second.remove();
    operator.resume();
    await harness.advance(30);
    expect(calls.splice(0)).toEqual(['a starts', 'a ticks', 'a stops']);
    expect(await finalizersOf('a')).toBeUndefined();
    expect(watched()).toEqual(['secrets']);
  });

  it('should be indices, which are filled before other handlers are called', async () => {
    await harness.run(Existing);
    for (const name of ['a', 'b']) await harness.create(name);
    class Indexing {
      @Index(...KEX)
      names({ name }: IndexContext) {
        return { [name]: name };
      }
      @OnEvent(...KEX)
      see({ indices }: EventContext) {
        calls.push(String(indices.names.size));
      }
    }
    const registration = registry().add(new Indexing());
    await harness.advance(5);
    expect(calls).toEqual(['2', '2']);
    expect(harness.get(KopfIndices).get('names').size).toBe(2);
    registration.remove();
    await harness.advance(5);
    expect(harness.get(KopfIndices).names).toEqual([]);
  });

  it('should follow relations, beside those who follow them already', async () => {
    const follow = (title: string) => {
      class Following {
        @OnChild('kopfexamples.kopf.dev', 'configmaps', { id: title })
        count({ name, children }: ChildContext) {
          calls.push(`${title} ${name}: ${children.map((child) => child.name).join(' ')}`);
        }
      }
      return Following;
    };
    await harness.run(follow('first'));
    await createChild(harness, 'x', await harness.create('a'));
    await harness.advance(1);
    calls.length = 0;
    const registration = registry().add(new (follow('second'))());
    await harness.advance(5);
    expect(calls.splice(0)).toEqual(['second a: x']);
    await createChild(harness, 'y', await harness.object('a'));
    await harness.advance(1);
    expect(calls.splice(0).sort()).toEqual(['first a: x y', 'second a: x y']);
    registration.remove();
    await harness.send('DELETE', '/api/v1/namespaces/ns/configmaps/x');
    await harness.advance(5);
    expect(calls).toEqual(['first a: y']);
  });

  it('should be for resources that come later, also where resources are looked up once', async () => {
    await harness.run(Existing, { scanning: { disabled: true } });
    await harness.create('a');
    const registration = registry().add(new Late());
    await harness.advance(5);
    expect(calls).toEqual(['create a']);
    registration.remove();
    await harness.advance(10);
    expect(watched()).toEqual(['secrets']);
  });

  it('should be refused as a whole if anything is wrong with them', async () => {
    await harness.run(Late);
    class Wrong {
      @OnEvent(...KEX)
      right() {}
      @Timer(...KEX, { interval: -1 })
      tick() {}
      @OnEvent(...KEX)
      parameters(@Spec() _spec: object) {}
      @OnStartup()
      startup() {}
    }
    const before = registry().describe();
    const add = (target: object) => () => registry().add(target);
    expect(add(new Wrong())).toThrow(KopfBootstrapError);
    expect(add(new Wrong())).toThrow(/Wrong.tick \(@Timer\): option 'interval' must be/);
    expect(add(new Wrong())).toThrow(/Wrong.parameters: Wrong is no provider of the application/);
    expect(add(new Wrong())).toThrow(/Wrong.startup: handlers of activities and conversions are added at the start/);
    expect(add(new Late())).toThrow(/Late.create and Late.create are both handlers 'create'/);
    expect(add({})).toThrow(/Object has no handlers of this operator/);
    expect(() => registry().add(OnEvent(...KEX, { operator: 'other' }), function see() {})).toThrow(/'other'/);
    expect(registry().describe()).toEqual(before);
  });
});

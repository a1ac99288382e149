import fc from 'fast-check';
import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import { adopt, KopfModule, KubeClient, OnCreate, OnUpdate, type ChangeContext, type KubeObject } from 'nestjs-kopf';
import {
  defineSimulation,
  simulate,
  type SimulatedCommand,
  type SimulatedState,
  type SimulatedUser,
  type SimulationOptions,
} from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const palette = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'warm', namespace: 'default', labels: { app: 'palette' } },
  data: { sun: 'yellow' } as Record<string, string>,
};
const PALETTES = { labels: { app: 'palette' } };
const COLORS = ['brick', 'rust', 'sand'];

/** Creates a Secret for each color, and leaves those of colors that are removed. */
@Injectable()
class PaletteOperator {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', PALETTES)
  @OnUpdate('configmaps.v1', PALETTES)
  async ensure({ body }: ChangeContext): Promise<void> {
    for (const color of Object.keys(colorsOf(body))) {
      const secret = adopt({ apiVersion: 'v1', kind: 'Secret', metadata: { name: color } });
      await this.kube.apply(secret, { fieldManager: 'palettes', force: true });
    }
  }
}

/** Deletes the Secrets of the colors that are taken out, too. */
@Injectable()
class FixedOperator extends PaletteOperator {
  @OnCreate('configmaps.v1', PALETTES)
  @OnUpdate('configmaps.v1', PALETTES)
  override async ensure(context: ChangeContext): Promise<void> {
    await super.ensure(context);
    const { items } = await this.kube.list('secrets.v1', { namespace: 'default' });
    for (const secret of items) {
      if (!(secret.metadata.name! in colorsOf(context.body)))
        await this.kube.delete('secrets.v1', secret.metadata.name!, { namespace: 'default' });
    }
  }
}

function colorsOf(body: object): Record<string, string> {
  return (body as typeof palette).data;
}

/** The colors that the palette has. */
type Colors = Set<string>;

class Add implements fc.AsyncCommand<Colors, SimulatedUser> {
  constructor(private readonly color: string) {}

  check(colors: Readonly<Colors>): boolean {
    return !colors.has(this.color);
  }

  async run(colors: Colors, kube: SimulatedUser): Promise<void> {
    colors.add(this.color);
    await kube.patch(palette, { data: { [this.color]: 'red' } });
    await kube.settled();
  }

  toString(): string {
    return `add ${this.color}`;
  }
}

/** Takes a color out, in two requests. */
class TakeOut implements SimulatedCommand<Colors> {
  constructor(private readonly color: string) {}

  async check(colors: Readonly<Colors>): Promise<boolean> {
    return colors.has(this.color);
  }

  async run(colors: Colors, kube: SimulatedUser): Promise<void> {
    colors.delete(this.color);
    const { data } = kube.find<KubeObject & typeof palette>(palette)!;
    if (!(this.color in data)) throw new Error(`The model has ${this.color}, and the palette has not.`);
    await kube.patch(palette, { data: { [this.color]: 'black' } });
    await kube.patch(palette, { data: { [this.color]: null } });
  }

  toString(): string {
    return `take out ${this.color}`;
  }
}

class Apply implements fc.Command<Colors, SimulatedUser> {
  check(): boolean {
    return true;
  }

  run(_: Colors, kube: SimulatedUser): void {
    void kube.apply(palette);
  }

  toString(): string {
    return 'apply';
  }
}

class Settle implements fc.AsyncCommand<Colors, SimulatedUser> {
  check(): boolean {
    return true;
  }

  run(_: Colors, kube: SimulatedUser): Promise<void> {
    return kube.settled();
  }

  toString(): string {
    return 'settle';
  }
}

const sequences = fc.commands<Colors, SimulatedUser, boolean>(
  [
    fc.constantFrom(...COLORS).map((color) => new Add(color)),
    fc.constantFrom(...COLORS).map((color) => new TakeOut(color)),
    fc.constant(new Settle()),
  ],
  { maxCommands: 12 },
);

function oneSecretForEachColor({ list, find }: SimulatedState): string | true {
  const names = list('Secret').map(({ metadata }) => metadata.name!);
  const colors = Object.keys(colorsOf(find<KubeObject>(palette)!));
  return [...names].sort().join() === [...colors].sort().join() || `there are ${names.length} for ${colors.length}`;
}

/** Counts the models that were made. */
let models = 0;

function model(): Colors {
  models += 1;
  return new Set(Object.keys(palette.data));
}

function moduleOf(operator: Type): Type {
  @Module({ imports: [KopfModule.forRoot()], providers: [operator] })
  class PaletteModule {}
  return PaletteModule;
}

const Palettes = moduleOf(PaletteOperator);
const Fixed = moduleOf(FixedOperator);

function optionsOf(commands: Iterable<SimulatedCommand<Colors>>): SimulationOptions<Colors> {
  const workload = { commands, model };
  return { world: { objects: [palette] }, workload, eventually: [oneSecretForEachColor], plans: [] };
}

const texts = (commands: Iterable<object>): readonly string[] => [...commands].map(String);

/** Adds a color and takes it out again, between commands that are skipped, as the model is in another state. */
const detour = [new TakeOut('rust'), new Add('rust'), new Add('rust'), new Add('sand'), new TakeOut('rust')];

describe('Workloads of commands', { timeout: 120_000 }, () => {
  it('should find a bug by a sequence that fast-check has drawn, and leave out what does not show it', async () => {
    const [commands] = fc.sample(sequences, { seed: 4, numRuns: 1 });
    const { findings } = await simulate(Palettes, optionsOf(commands!));
    expect(findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([
      'eventually: oneSecretForEachColor: there are 2 for 1',
    ]);
    const [{ plan, workload, operations, timeline }] = findings;
    expect(workload).toEqual(['add sand', 'add rust', 'settle', 'take out sand']);
    expect(plan).toEqual({ seed: 1, faults: [], without: [2, 3] });
    expect(operations).toBe(2);
    expect(
      timeline.filter(({ actor, type }) => actor.name === 'user' && type === 'note').map(({ text }) => text),
    ).toEqual(['add sand', 'take out sand']);
  });

  it('should skip commands that the model does not allow, and check it without those that a plan leaves out', async () => {
    const { findings } = await simulate(Palettes, optionsOf(detour));
    const [{ plan, workload }] = findings;
    expect(workload).toEqual(texts(detour));
    expect(plan.without).toEqual([1, 3, 4]);
    // Without the second command, the third one is run, and the model still has what the palette has.
    const other = await simulate(Palettes, { ...optionsOf(detour), plans: [{ seed: 1, faults: [], without: [2] }] });
    expect(other.findings.map(({ check }) => check)).toEqual(['eventually']);
  });

  it('should have plans that can be run again, with the same commands only', async () => {
    const plan = {
      seed: 1,
      faults: [{ kind: 'crash' as const, afterWrite: 1 }],
      delays: true,
      workload: texts(detour),
    };
    const palettes = defineSimulation(Fixed, { ...optionsOf(detour), plans: [plan] });
    const [one, other] = [await palettes.run(), await palettes.run()];
    expect(one).toHaveNoFindings();
    expect(one.plans).toBe(1);
    expect(other.digest).toBe(one.digest);
    const changed = { ...optionsOf(detour.slice(1)), plans: [plan] };
    await expect(simulate(Fixed, changed)).rejects.toThrow(
      "Operation 1 was 'take out rust' when it was found, and is 'add rust' now.",
    );
  });

  it('should have a new model in each run', async () => {
    models = 0;
    const report = await simulate(Fixed, { ...optionsOf(detour), plans: { random: 3, seed: 1 } });
    expect(report).toHaveNoFindings();
    expect(models).toBeGreaterThan(3);
  });

  it('should be right where an object is recreated between two requests of a command', async () => {
    const commands = [new Add('rust'), new TakeOut('rust')];
    const user = [new Apply(), ...commands];
    const at = { resource: 'configmaps', namespace: 'default', name: 'warm' };
    const plans = [3, 4, 5].map((afterChange) => ({
      seed: 1,
      faults: [{ kind: 'recreate' as const, ...at, afterChange }],
    }));
    const report = await simulate(Fixed, { ...optionsOf(user), plans });
    expect(report.coverage.faults.recreate).toBe(plans.length);
    expect(report).toHaveNoFindings();
  });

  it('should be made smaller by fast-check in a property', async () => {
    const fails = fc.asyncProperty(sequences, async (commands) => {
      expect(await simulate(Palettes, { ...optionsOf(commands), shrinking: 0 })).toHaveNoFindings();
    });
    const { failed, counterexample } = await fc.check(fails, { seed: 4, numRuns: 20 });
    expect(failed).toBe(true);
    expect(texts(counterexample![0])).toEqual(['add sand', 'take out sand']);
  });

  it('should hold in a property of fast-check for an operator that does right', async () => {
    const holds = fc.asyncProperty(sequences, async (commands) => {
      expect(await simulate(Fixed, { ...optionsOf(commands), plans: { random: 2 } })).toHaveNoFindings();
    });
    await fc.assert(holds, { seed: 7, numRuns: 4 });
  });

  it('should be given with the model that they are made for', () => {
    const workload = { commands: [new Add('rust')], model: () => ['rust'] };
    // @ts-expect-error The commands have a set of colors for a model.
    const { options } = defineSimulation(Fixed, { workload });
    expect(options.workload).toBe(workload);
  });

  it('should be refused if the commands can be read only once', async () => {
    function* draw(): Generator<Add> {
      yield new Add('rust');
    }
    await expect(simulate(Fixed, optionsOf(draw()))).rejects.toThrow(
      new TypeError(
        'The commands of the workload can be read only once, as those of a generator, but each run of a simulation reads them. Give an array.',
      ),
    );
  });
});

import { Convert, type ConversionContextOf } from 'nestjs-kopf';
import { customResourceDefinition } from 'nestjs-kopf/crd';
import { expectRoundTrips } from 'nestjs-kopf/testing';
import { createMatchingText } from '../../../libs/kopf/src/testing/checks/text.patterns.js';
import { SeededRandom } from 'nestjs-kopf/testing';
import { Widget, WidgetConversions, WidgetV1Alpha1 } from '../../support/objects/widgets.js';

/** Has sizes that the conversions take. */
const values = { 'v1alpha1.spec.size': (random: { next(): number }) => `${Math.floor(random.next() * 1000)}Gi` };

describe('expectRoundTrips()', () => {
  it('should send random objects of each version to each other one and back', async () => {
    const { ways, objects } = await expectRoundTrips({ providers: [WidgetConversions], values, runs: 50, seed: 7 });
    expect(ways).toHaveLength(6);
    expect(ways).toContain('widgets.example.com v1beta1 > v1alpha1 > v1beta1');
    expect(objects).toBe(300);
  });

  it('should name the first path that differs, the methods, and the seed', async () => {
    class Forgetful {
      @Convert(Widget, { from: WidgetV1Alpha1, to: Widget })
      up({ spec, status }: ConversionContextOf<typeof WidgetV1Alpha1>) {
        return { spec: { gigabytes: parseInt(spec.size, 10), color: 'white', note: spec.note }, status };
      }
      @Convert(Widget, { from: Widget, to: WidgetV1Alpha1 })
      down({ spec, status, keep }: ConversionContextOf<typeof Widget>) {
        keep({ megabytes: spec.megabytes });
        return { spec: { size: `${spec.gigabytes}Gi`, note: spec.note }, status };
      }
    }
    const failure = await expectRoundTrips({ providers: [Forgetful], values, seed: 3 }).catch((error: Error) => error);
    expect((failure as Error).message).toMatch(
      /^Widget is another one after v1 > v1alpha1 > v1: spec\.(color|megabytes) was .*, and is .* \(seed 3, object \d+; by Forgetful\.down, Forgetful\.up\)\./,
    );
    const again = await expectRoundTrips({ providers: [Forgetful], values, seed: 3 }).catch((error: Error) => error);
    expect(again).toEqual(failure);
  });

  it('should take the schemas of CRDs for resources without classes', async () => {
    class ByName {
      @Convert('widgets.example.com', { from: 'v1alpha1', to: 'v1' })
      up(context: any) {
        return new WidgetConversions().fromAlpha(context);
      }
      @Convert('widgets.example.com', { from: 'v1', to: 'v1alpha1' })
      down(context: any) {
        return new WidgetConversions().toAlpha(context);
      }
    }
    await expect(expectRoundTrips({ providers: [ByName] })).rejects.toThrow('give its CRD by the option definitions');
    const definitions = [customResourceDefinition(Widget, WidgetV1Alpha1)];
    const { ways } = await expectRoundTrips({ providers: [ByName], definitions, values, runs: 10 });
    expect(ways).toHaveLength(2);
  });

  it.each([
    '^\\d{1,6}Gi$',
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
    '^(a|bc)+\\.[^x]?$',
    '^(?:\\w+\\s)*end$',
    '^v[1-9]\\d*((alpha|beta)[1-9])?$',
  ])('should make texts for the pattern %s', (pattern) => {
    const random = new SeededRandom(1);
    for (let run = 0; run < 20; run += 1) expect(createMatchingText(pattern, random)).toMatch(new RegExp(pattern));
  });

  it('should make none for patterns that look ahead', () => {
    expect(createMatchingText('^(?=a)b?$', new SeededRandom(1))).toBeUndefined();
  });
});

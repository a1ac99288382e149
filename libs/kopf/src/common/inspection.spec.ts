import { inspect } from 'node:util';
import { InspectedAs } from './inspection.js';

@InspectedAs<Service>(({ state }) => ({ state }))
class Service {
  readonly objects = [{ data: 'canary' }];

  get state(): string {
    return 'running';
  }
}

describe('InspectedAs', () => {
  it('should show what the class says, wherever the instance is, and however deep', () => {
    expect(inspect(new Service(), { depth: 20 })).toBe("Service { state: 'running' }");
    expect(inspect({ app: [new Service()] }, { depth: 20, showHidden: true })).not.toContain('canary');
  });

  it('should leave instances as they are otherwise', () => {
    expect(Object.keys(new Service())).toEqual(['objects']);
  });
});

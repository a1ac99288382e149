import { startWithDisks } from '../../support/operators/disks.js';
import { DiskOperator, DisksService } from './why.example.js';

describe('The example of when and why', () => {
  it('should provide what is declared, and release it before the object goes', async () => {
    const sizes = new Map<string, number>();
    const disks: DisksService = {
      provide: (name, size) => {
        sizes.set(name, size);
        return Promise.resolve(`10.0.0.${size}`);
      },
      release: (name) => {
        sizes.delete(name);
        return Promise.resolve();
      },
    };
    const harness = await startWithDisks();
    await harness.run(DiskOperator, { providers: [{ provide: DisksService, useValue: disks }] });
    await harness.create('photos', { spec: { size: 20 } });
    await harness.advance(1);
    expect((await harness.object('photos')).status).toMatchObject({ address: '10.0.0.20' });
    await harness.patch('photos', { spec: { size: 40 } });
    await harness.advance(1);
    expect((await harness.object('photos')).status).toMatchObject({ address: '10.0.0.40' });
    await harness.delete('photos');
    await harness.advance(1);
    expect([sizes.size, await harness.read('photos')]).toEqual([0, undefined]);
  });
});

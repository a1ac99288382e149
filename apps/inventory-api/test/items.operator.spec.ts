import { customResourceDefinition } from 'nestjs-kopf/crd';
import { KopfTest } from 'nestjs-kopf/testing';
import { ItemsService } from '../src/items/items.service.js';
import { InventoryItem } from '../src/operator/inventory-item.js';
import { InventoryModule } from '../src/operator/inventory.module.js';

const chair = {
  apiVersion: 'example.com/v1',
  kind: 'InventoryItem',
  metadata: { name: 'chair' },
  spec: { title: 'Chair', quantity: 4, warehouse: 'north' },
};

describe('The operator of the inventory', () => {
  it('should keep an item as long as its object exists', async () => {
    await using test = await KopfTest.create({
      imports: [InventoryModule.register({ key: 'test' })],
      objects: customResourceDefinition(InventoryItem),
    });
    const created = await test.apply(chair);
    expect(await test.handled(created)).toMatchObject({ status: { inStock: true } });
    expect(await test.get(ItemsService).findOne('chair')).toMatchObject({ title: 'Chair', quantity: 4 });
    await test.delete(created);
    expect(await test.handled(created)).toBeUndefined();
    expect(await test.get(ItemsService).findAll()).toEqual([]);
  });

  it('should reject what the API rejects', async () => {
    await using test = await KopfTest.create({
      imports: [InventoryModule.register({ key: 'test' })],
      objects: customResourceDefinition(InventoryItem),
    });
    const debt = { ...chair, spec: { ...chair.spec, quantity: -1 } };
    await expect(test.apply(debt)).rejects.toThrow('spec.quantity in body should be greater than or equal to 0');
    const shouted = { ...chair, spec: { ...chair.spec, warehouse: 'NORTH' } };
    await expect(test.apply(shouted)).rejects.toThrow('spec.warehouse must be a lowercase string');
  });
});

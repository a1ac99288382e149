import { Inject, Injectable } from '@nestjs/common';
import { OnCreate, OnDelete, OnResume, OnUpdate, PermanentError, type ChangeContext } from 'nestjs-kopf';
import { ITEMS, type ItemSpec } from './item.js';
import { ItemsService } from './items.service.js';

/** Adds declared items to the API: an object in the cluster keeps its item in the stock. */
@Injectable()
export class ItemsOperator {
  constructor(@Inject(ItemsService) private readonly items: ItemsService) {}

  /** Memory is lost with the process, so items are put in again when it starts. */
  @OnResume(ITEMS)
  @OnCreate(ITEMS)
  @OnUpdate(ITEMS, { field: 'spec' })
  store({ name, spec, patch }: ChangeContext<ItemSpec>) {
    const { title, quantity = 0, warehouse } = spec;
    if (quantity < 0) throw new PermanentError(`There cannot be ${quantity} of ${title}.`);
    this.items.put({ id: name, title, quantity, warehouse });
    patch.status.inStock = quantity > 0;
  }

  @OnDelete(ITEMS)
  remove({ name }: ChangeContext<ItemSpec>) {
    this.items.remove(name);
  }
}

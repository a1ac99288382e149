import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { Index, InjectIndex, KubeClient, type IndexContext, type ReadonlyIndex } from 'nestjs-kopf';
import { ITEMS, type ItemSpec } from '../items/item.js';

/** Describes the stock of an item, which is known without a request to the API server. */
export interface Stock {
  readonly name: string;
  readonly quantity: number;
}

/** Answers from an index, and writes to the cluster: nothing is stored here. */
@Controller('warehouses')
export class WarehousesController {
  constructor(
    @InjectIndex('stockByWarehouse') private readonly stock: ReadonlyIndex<string, Stock>,
    @Inject(KubeClient) private readonly client: KubeClient,
  ) {}

  @Index(ITEMS, { id: 'stockByWarehouse' })
  index({ name, spec }: IndexContext<ItemSpec>) {
    return { [spec.warehouse]: { name, quantity: spec.quantity ?? 0 } };
  }

  @Get()
  findAll(): readonly string[] {
    return [...this.stock.keys()].sort();
  }

  @Get(':warehouse')
  findOne(@Param('warehouse') warehouse: string) {
    const items = this.stock.get(warehouse)?.toArray() ?? [];
    return {
      warehouse,
      quantity: items.reduce((sum, { quantity }) => sum + quantity, 0),
      items: items.map(({ name }) => name).sort(),
    };
  }

  /** Takes everything out of the warehouse. The operator notices, and the items follow. */
  @Post(':warehouse/clear')
  async clear(@Param('warehouse') warehouse: string): Promise<{ cleared: number }> {
    const items = this.stock.get(warehouse)?.toArray() ?? [];
    const patch = { spec: { quantity: 0 } };
    await Promise.all(items.map(({ name }) => this.client.patch(ITEMS, name, patch, { namespace: 'default' })));
    return { cleared: items.length };
  }
}

import { Controller, Get, Param } from '@nestjs/common';
import { InjectIndex, type ReadonlyIndex } from 'nestjs-kopf';

/** Answers from memory what the objects of the cluster say about the warehouses. */
@Controller('warehouses')
export class WarehousesController {
  constructor(@InjectIndex('stockByWarehouse') private readonly stock: ReadonlyIndex<string, object>) {}

  @Get(':warehouse')
  findOne(@Param('warehouse') warehouse: string) {
    return this.stock.get(warehouse)?.toArray() ?? [];
  }
}

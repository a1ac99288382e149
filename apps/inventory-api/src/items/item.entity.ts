import { ApiProperty } from '@nestjs/swagger';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Something in stock. */
@Entity()
export class Item {
  @ApiProperty()
  @PrimaryColumn()
  id: string;

  @ApiProperty()
  @Column()
  title: string;

  @ApiProperty()
  @Column('integer')
  quantity: number;

  @ApiProperty()
  @Column()
  warehouse: string;
}

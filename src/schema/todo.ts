// The to-do list: what the model set itself to do in a run, kept with the session. Source: spec §5.5 (WithTodoStore), §9 (Planning).
import { z } from 'zod';

export const todoStatusSchema = z.enum(['pending', 'in_progress', 'completed', 'cancelled']);
export type TodoStatus = z.infer<typeof todoStatusSchema>;

export const todoItemSchema = z.object({ id: z.string(), content: z.string(), status: todoStatusSchema });
export type TodoItem = Readonly<z.infer<typeof todoItemSchema>>;

/** How the model is shown the state of an item, wherever it sees the list. */
export const todoMarks: Readonly<Record<TodoStatus, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  cancelled: '[-]',
};

export const pathOf = ({ id }: { id: string }): string => `/a/chat/s/${id}`;

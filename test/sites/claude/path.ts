export const pathOf = ({ id }: { id: string }): string => `/chat/${id}`;

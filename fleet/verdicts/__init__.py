"""What the target serves, and what an application that it cuts off should do."""
